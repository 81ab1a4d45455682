// INT8 GEMMs and convolutions by packed 4x8-bit dot products, without dequantization.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Variants of int8_dot.comp. few_registers: half as many rows per invocation. plain: without the dot product
// instruction.
enum class Int8Dot : uint8_t { usual, few_registers, plain };

// For MATMUL, FULL_CONNECTION or CONV2D with static shapes.
WhyNot why_not_int8_dot(const NodeView& node, const DevicePlan& plan);
WhyNot why_not_int8_dot_small(const NodeView& node, const DevicePlan& plan);
// For INT32 sums that floats could not hold exactly.
WhyNot why_not_int8_sums(const NodeView& node, const DevicePlan& plan);
Status lower_int8_dot(const LoweringContext& context, Int8Dot variant);

// Without shared memory.
WhyNot why_not_int8_dot_registers(const NodeView& node, const DevicePlan& plan);
Status lower_int8_dot_registers(const LoweringContext& context);

// Few rows: workgroups share columns. `by_subgroups`: reduce a column by subgroup operations.
WhyNot why_not_int8_gemv(const NodeView& node, const DevicePlan& plan);
Status lower_int8_gemv(const LoweringContext& context);

}  // namespace nnrt::vulkan
