// Convolutions, and pooling as their table lists it, in NHWC (core/passes/normalize.h converts).
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

Status lower_conv2d(const LoweringContext& context);
Status lower_conv2d_transpose(const LoweringContext& context);
Status lower_depthwise(const LoweringContext& context);
Status lower_conv3d(const LoweringContext& context);

// The kernels of CONV2D and CONV2D_TRANSPOSE, for NNRT_VULKAN_KERNELS.
std::vector<std::string_view> convolution_kernels();
// Those of AVG_POOL, MAX_POOL and RESIZE_BILINEAR.
std::vector<std::string_view> pooling_kernels();

// Returns whether a depthwise kernel computes it, whose epilogue cannot add an operand.
bool is_depthwise(const NodeView& node);

}  // namespace nnrt::vulkan
