// CONV2D, CONV2D_TRANSPOSE and DEPTHWISE_CONV2D_NATIVE on the GPU, in NHWC (core/passes/normalize.h
// converts).
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

Status lower_conv2d(const LoweringContext& context);
Status lower_conv2d_transpose(const LoweringContext& context);
Status lower_depthwise(const LoweringContext& context);

// The kernels of CONV2D and CONV2D_TRANSPOSE, for NNRT_VULKAN_KERNELS.
std::vector<std::string_view> convolution_kernels();

// Returns whether a depthwise kernel computes it, whose epilogue cannot add an operand.
bool is_depthwise(const NodeView& node);

}  // namespace nnrt::vulkan
