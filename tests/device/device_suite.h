// Tests that every device must pass, and graphs for them. Each program that runs the suite provides the
// device.
#pragma once

#include "core/passes/normalize.h"
#include "tests/device/guarded_run.h"
#include "tests/support/graph_maker.h"
#include "tests/support/prepare_model.h"
#include "tests/support/tensor_views.h"
#include "tests/support/test_settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace nnrt::test {

// May return a new one each time.
std::shared_ptr<Device> suite_device();

// The device in each mode that must give the same results; the first is suite_device().
struct SuiteMode {
  std::string_view name;
  std::shared_ptr<Device> device;
  bool only_linear = false;  // computes other operators like another mode
};
std::vector<SuiteMode> suite_modes();

inline Refusal first_refusal(const Device& device, const Graph& graph) {
  for (const Refusal& refusal : refusals_of(device, graph, {})) {
    if (refusal) return refusal;
  }
  return std::nullopt;
}

// Runs a model with one output, into new memory.
inline std::vector<float> floats_of(PreparedModel& model, const std::vector<TensorView>& inputs) {
  std::vector<OutputSlot> outputs{{{}, true}};
  const Status status = model.run(inputs, outputs, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return status.ok() ? values_of<float>(outputs[0].view) : std::vector<float>();
}

// One operator with one input.
inline GraphPtr elementwise(Op op, Shape shape, DType dtype = DType::f32) {
  GraphMaker maker;
  const TensorId x = maker.input(shape, dtype);
  return maker.finish({maker.op(op, {x}, std::move(shape), {}, dtype)});
}

}  // namespace nnrt::test
