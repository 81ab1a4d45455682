// The process's VkInstance, created at first use and never destroyed, because drivers do not survive exit
// handlers.
#pragma once

#include "backends/vulkan/device/vk_handle.h"

#include <vector>

namespace nnrt::vulkan {

// NNRT_TEST_VULKAN_VALIDATION=on: the Khronos validation layer logs its findings as errors; =abort: the
// process aborts at the first one. Fails without a loader, a driver, or Vulkan 1.2.
Result<VkInstance> instance();

// Ordered: discrete, integrated, virtual, other, software.
Result<std::vector<VkPhysicalDevice>> physical_devices();

}  // namespace nnrt::vulkan
