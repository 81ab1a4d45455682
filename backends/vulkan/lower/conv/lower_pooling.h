// AVG_POOL, MAX_POOL and RESIZE_BILINEAR.
#pragma once

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

std::vector<std::string_view> pooling_kernels();

}  // namespace nnrt::vulkan
