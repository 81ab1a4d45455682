// All names that NNRT_VULKAN_KERNELS can force or forbid: kernels, graph passes and device features.
#pragma once

#include <span>
#include <string_view>

namespace nnrt::vulkan {

std::span<const std::string_view> kernel_names();

}  // namespace nnrt::vulkan
