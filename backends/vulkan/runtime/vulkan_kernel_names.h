// All names that NNRT_VULKAN_KERNELS can force or forbid: the kernels of lists, graph passes, and features of
// devices.
#pragma once

#include <span>
#include <string_view>

namespace nnrt::vulkan {

std::span<const std::string_view> kernel_names();

}  // namespace nnrt::vulkan
