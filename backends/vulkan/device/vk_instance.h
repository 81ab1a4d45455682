// The VkInstance of the process, made at first use and never destroyed: drivers do not survive exit handlers.
#pragma once

#include "backends/vulkan/device/vk_handle.h"

#include <vector>

namespace nnrt::vulkan {

// With NNRT_TEST_VULKAN_VALIDATION=on the Khronos validation layer logs what it finds as errors; with =abort
// the process stops at the first of them. Fails where there is no loader, no driver or no Vulkan 1.2.
Result<VkInstance> instance();

// In this order: discrete, integrated, virtual, other, software.
Result<std::vector<VkPhysicalDevice>> physical_devices();

}  // namespace nnrt::vulkan
