// The first GPU of the drivers that the environment names, and graphs to run on it.
#pragma once

#include "backends/vulkan/device.h"
#include "backends/vulkan/devices.h"
#include "core/counters.h"
#include "tests/support/graph_maker.h"
#include "tests/support/views.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace nnrt::test {

inline vulkan::VulkanDevice& gpu() {
  static const auto devices = vulkan::find_devices();
  if (devices.empty()) throw std::runtime_error("There is no Vulkan device.");
  return dynamic_cast<vulkan::VulkanDevice&>(*devices.front());
}

inline std::unique_ptr<PreparedModel> prepare(Device& device, GraphPtr graph) {
  for (const Refusal& refusal : device.supports(*graph, {})) EXPECT_FALSE(refusal) << *refusal;
  auto model = device.prepare(std::move(graph), {});
  EXPECT_TRUE(model.ok()) << model.error().message;
  return model.ok() ? std::move(model).value() : nullptr;
}

inline Status run(PreparedModel& model, const std::vector<TensorView>& inputs,
                  std::vector<OutputSlot>& outputs, Deadline deadline = {}) {
  return model.run(inputs, outputs, deadline);
}

// RELU over one float tensor.
inline GraphPtr relu(Shape shape) {
  GraphMaker maker;
  const TensorId x = maker.input(shape);
  return maker.finish({maker.op(Op::relu, {x}, std::move(shape))});
}

}  // namespace nnrt::test
