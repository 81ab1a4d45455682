// GEMMs and convolutions of quantized INT8 without dequantization, by matrices that subgroups multiply
// together, with exact sums.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/gemm/lower_cooperative_matrix.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Returns why MATMUL, FULL_CONNECTION or CONV2D is not computed so. Shapes are static.
WhyNot why_not_int8_matrix(const NodeView& node, const DevicePlan& plan, MatrixSource source);

Status lower_int8_matrix(const LoweringContext& context);

}  // namespace nnrt::vulkan
