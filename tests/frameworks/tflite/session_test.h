// Tests of the delegate in an interpreter: tflite_session_test LIBRARY DELEGATE [DEVICE] [gtest arguments].
#pragma once

#include "tests/frameworks/tflite/tflite_runtime.h"
#include "tests/frameworks/tflite/tiny_model.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nnrt::test {

// Of the command line.
const TfliteApi& api();
std::shared_ptr<TfLiteDelegate> create_delegate(const DelegateSettings& settings);
std::shared_ptr<TfLiteDelegate> delegate(DelegateSettings settings = {});  // on the device

// With a folder for files.
class SessionTest : public testing::Test {
 protected:
  SessionTest();
  ~SessionTest() override;

  std::string path(const std::string& name) const;
};

// 2 * x, of rank 5, by an operator that stays with the interpreter: its output shape is the tensor `shape`.
int32_t add_foreign(TinyModel& model, int32_t x, int32_t shape);
void set_shape(const Session& session, int input, const std::vector<int>& shape);

// FLOAT32 tensors
void set(const Session& session, const std::vector<float>& values, int input = 0);
std::vector<float> floats_of(const Session& session, int output = 0);
std::vector<float> run(Session& session, const std::vector<float>& values);

}  // namespace nnrt::test
