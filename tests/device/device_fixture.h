// The first GPU of the drivers that the environment selects.
#pragma once

#include "backends/vulkan/device/vk_instance.h"
#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/pipeline/pipeline_cache.h"
#include "backends/vulkan/runtime/vulkan_device.h"
#include "core/platform/counters.h"
#include "tests/device/device_suite.h"

#include <memory>
#include <string>
#include <string_view>

namespace nnrt::test {

inline VkPhysicalDevice first_physical_device() {
  const auto devices = vulkan::physical_devices().value();
  return devices.at(0);
}

// A plan with optimized shaders; kernels are forced and forbidden as by NNRT_VULKAN_KERNELS.
vulkan::DevicePlan plan_with(std::string_view kernels);

inline vulkan::DevicePlan first_plan() { return plan_with({}); }

inline std::shared_ptr<vulkan::VulkanDevice> make_device(const vulkan::DevicePlan& plan = first_plan()) {
  return std::make_shared<vulkan::VulkanDevice>(first_physical_device(), plan, plan.name,
                                                std::vector<DeviceProperty>());
}

// The device of this key, shared by all tests, so that each pipeline is compiled once. The first call's plan
// counts.
std::shared_ptr<vulkan::VulkanDevice> shared_device(const std::string& key, const vulkan::DevicePlan& plan);
inline std::shared_ptr<vulkan::VulkanDevice> shared_device(const std::string& kernels) {
  return shared_device(kernels, plan_with(kernels));
}

// The counter increments of a run.
class Counted {
 public:
  uint64_t bytes_copied() const { return counters().bytes_copied - bytes_copied_; }
  uint64_t device_copies() const { return counters().device_copies - device_copies_; }

 private:
  const uint64_t bytes_copied_ = counters().bytes_copied;
  const uint64_t device_copies_ = counters().device_copies;
};

}  // namespace nnrt::test
