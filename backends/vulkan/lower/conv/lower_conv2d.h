// CONV2D, CONV2D_TRANSPOSE and DEPTHWISE_CONV2D_NATIVE on the GPU, on NHWC (core/passes/normalize.h sees to
// that).
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

Status lower_conv2d(const LoweringContext& context);
Status lower_conv2d_transpose(const LoweringContext& context);
Status lower_depthwise(const LoweringContext& context);

// The kernels of the first two, as NNRT_VULKAN_KERNELS names them.
std::vector<std::string_view> convolution_kernels();

// Returns whether a kernel computes it channel by channel, which adds no operand to its result.
bool is_depthwise(const NodeView& node);

}  // namespace nnrt::vulkan
