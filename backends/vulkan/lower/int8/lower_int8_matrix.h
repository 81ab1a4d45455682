// INT8 GEMMs and convolutions by cooperative matrices, without dequantization and with exact sums.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/gemm/lower_cooperative_matrix.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// For MATMUL, FULL_CONNECTION or CONV2D with static shapes.
WhyNot why_not_int8_matrix(const NodeView& node, const DevicePlan& plan, MatrixSource source);

Status lower_int8_matrix(const LoweringContext& context);

}  // namespace nnrt::vulkan
