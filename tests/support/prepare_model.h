// Prepares and runs models in one call.
#pragma once

#include "core/device/device.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace nnrt::test {

inline std::unique_ptr<PreparedModel> prepare(Device& device, GraphPtr graph,
                                              const CompileOptions& options = {}) {
  for (const Refusal& refusal : refusals_of(device, *graph, options)) EXPECT_FALSE(refusal) << *refusal;
  return device.prepare(std::move(graph), options).value();
}

// Runs a model with one output into `output`, and sets its shape.
inline Status run(PreparedModel& model, const std::vector<TensorView>& inputs, TensorView& output,
                  Deadline deadline = {}) {
  std::vector<OutputSlot> outputs{{output, false}};
  const Status status = model.run(inputs, outputs, deadline);
  output = outputs[0].view;
  return status;
}

}  // namespace nnrt::test
