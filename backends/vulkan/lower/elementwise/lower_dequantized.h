// Lowers FLOAT16, quantized INT8 (R12), INT8 and most FLOAT64 nodes (unless R13 forbids it) by FLOAT32
// kernels. Operands are converted into scratch memory, constants once on the host; the node is lowered as
// FLOAT32; the results are converted back. Quantized operands become real values, or steps for products and
// pools (requantization.h). Operands that are already dequantized (dequantize_pass.h) are used as they are.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

namespace nnrt::vulkan {

using LowerFunction = Status (*)(const LoweringContext&);

Status lower_as_f32(const LoweringContext& context, LowerFunction lower);

// Refuses nodes that are neither FLOAT32 nor can be lowered as FLOAT32.
Refusal refuse_conversion(const NodeView& node);
// Signature for Lowering::refuse.
inline Refusal refuse_conversion(const NodeView& node, const DevicePlan&) { return refuse_conversion(node); }

constexpr bool is_converted(DType dtype) {
  return dtype == DType::f16 || dtype == DType::f64 || dtype == DType::i8;
}

// Returns whether any operand of a quantized operator is stored quantized.
bool has_quantized(const NodeView& node);

template <LowerFunction lower>
Status via_f32(const LoweringContext& context) {
  const bool converts = is_converted(context.node.dtype()) || has_quantized(context.node);
  return converts ? lower_as_f32(context, lower) : lower(context);
}

}  // namespace nnrt::vulkan
