// The network of the scenarios: y = reshape(relu(x w + b), shape) + 1, where `shape` is a run input. The GPU
// gets a part with packed weights and one with dynamic shapes, the CPU the reshape.
#pragma once

#include "tests/shortage/retry_calls.h"

#include <string>

namespace nnrt::test {

inline constexpr int32_t kInner = 16, kOuter = 8;

// Rows of x: static, or dynamic (-1).
api_tests::Model make_model(Attempts& attempts, int32_t rows);
api_tests::Model make_model(int32_t rows);

// y = softmax(square(x)): two GPU pipelines that compile fast.
api_tests::Model make_small_model();

// Settings for Build.
struct Settings {
  size_t device = 0;
  std::string cache;  // a directory, or empty
};
api_tests::Compilation make_compilation(Attempts& attempts, const OH_NNModel* model,
                                        const Settings& settings);
// Creates a new compilation each time: after a failed Build it cannot be built again.
api_tests::Compilation build(Attempts& attempts, const OH_NNModel* model, const Settings& settings);
api_tests::Compilation build(const OH_NNModel* model, const Settings& settings);

// Inputs and output of runs with `rows` rows of x.
struct Tensors {
  // `offset` in bytes within the memory; no device can bind an odd one.
  Tensors(Attempts& attempts, int32_t rows, size_t offset = 0);
  void expect_right() const;
  void clear() const;

  int32_t rows;
  api_tests::Tensor x, shape, y;
};

void run(Attempts& attempts, const api_tests::Executor& executor, const Tensors& tensors);
void run_deferred(Attempts& attempts, const api_tests::Executor& executor, const Tensors& tensors);
// The same with the API 9 functions and a static model.
void run_as_api_9(Attempts& attempts, const api_tests::Executor& executor, int32_t rows);
// Expects that the compilation works without shortage.
void expect_works(const api_tests::Compilation& compilation, int32_t rows);

}  // namespace nnrt::test
