// INT8 GEMMs and convolutions by packed 4x8-bit dot products, without dequantization.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// For MATMUL, FULL_CONNECTION or CONV2D with static shapes.
WhyNot why_not_int8_dot(const NodeView& node, const DevicePlan& plan);

Status lower_int8_dot(const LoweringContext& context, bool plain = false);
// The same without the dot product instruction, for INT32 sums that floats could not hold exactly.
WhyNot why_not_int8_sums(const NodeView& node, const DevicePlan& plan);

// Few rows: workgroups share columns. `by_subgroups`: reduce a column by subgroup operations.
WhyNot why_not_int8_gemv(const NodeView& node, const DevicePlan& plan, bool by_subgroups);
Status lower_int8_gemv(const LoweringContext& context, bool by_subgroups);

}  // namespace nnrt::vulkan
