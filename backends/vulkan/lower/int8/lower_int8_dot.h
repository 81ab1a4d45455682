// GEMMs and convolutions of quantized INT8 without dequantization, by dot products of packed bytes.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Returns why MATMUL, FULL_CONNECTION or CONV2D is not computed so. Shapes are static.
WhyNot why_not_int8_dot(const NodeView& node, const DevicePlan& plan);

Status lower_int8_dot(const LoweringContext& context, bool plain = false);
// The same without the instruction, for the sums that floats would not hold.
WhyNot why_not_int8_sums(const NodeView& node, const DevicePlan& plan);

// The same of few rows, by workgroups that share columns. `by_subgroups`: they add the sums of a column.
WhyNot why_not_int8_gemv(const NodeView& node, const DevicePlan& plan, bool by_subgroups);
Status lower_int8_gemv(const LoweringContext& context, bool by_subgroups);

}  // namespace nnrt::vulkan
