// The first GPU of the drivers that the environment names, and graphs to run on it.
#pragma once

#include "backends/vulkan/device.h"
#include "backends/vulkan/instance.h"
#include "backends/vulkan/memory.h"
#include "backends/vulkan/pipeline_cache.h"
#include "core/counters.h"
#include "tests/support/graph_maker.h"
#include "tests/support/prepared.h"
#include "tests/support/views.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace nnrt::test {

inline VkPhysicalDevice first_physical_device() {
  const auto devices = vulkan::physical_devices();
  EXPECT_TRUE(devices.ok()) << devices.error().message;
  return devices.value().at(0);
}

inline vulkan::DevicePlan first_plan() {
  vulkan::DevicePlan plan = vulkan::plan(vulkan::take_snapshot(first_physical_device())).value();
  plan.store_halves = true;  // which software drivers are spared
  return plan;
}

inline std::shared_ptr<vulkan::VulkanDevice> make_device(const vulkan::DevicePlan& plan = first_plan()) {
  return std::make_shared<vulkan::VulkanDevice>(first_physical_device(), plan, plan.name,
                                                std::vector<Fact>());
}

// A run of a model with one output, into new memory.
inline std::vector<float> floats_of(PreparedModel& model, const std::vector<TensorView>& inputs) {
  std::vector<OutputSlot> outputs{{{}, true}};
  const Status status = model.run(inputs, outputs, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return status.ok() ? values_of<float>(outputs[0].view) : std::vector<float>();
}

// One operator over one input.
inline GraphPtr elementwise(Op op, Shape shape, DType dtype = DType::f32) {
  GraphMaker maker;
  const TensorId x = maker.input(shape, dtype);
  return maker.finish({maker.op(op, {x}, std::move(shape), {}, dtype)});
}

// What a run adds to the counters.
class Counted {
 public:
  uint64_t bytes_copied() const { return counters().bytes_copied - bytes_copied_; }
  uint64_t device_copies() const { return counters().device_copies - device_copies_; }

 private:
  const uint64_t bytes_copied_ = counters().bytes_copied;
  const uint64_t device_copies_ = counters().device_copies;
};

}  // namespace nnrt::test
