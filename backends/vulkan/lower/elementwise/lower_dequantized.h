// Nodes of FLOAT16, of quantized INT8 (R12), of INT8 and, where its section does not forbid that (R13), of
// FLOAT64 by the kernels of FLOAT32: operands are converted into scratch, constants once on the host; the
// node is lowered as one of FLOAT32; the results are converted back. Operands that are dequantized already,
// beside others that are not (dequantize_pass.h), are taken as they are.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

namespace nnrt::vulkan {

using LowerFunction = Status (*)(const LoweringContext&);

Status lower_as_f32(const LoweringContext& context, LowerFunction lower);

// Unless the node is of FLOAT32, or one that can be lowered as such.
Refusal refuse_conversion(const NodeView& node);
// The same as a row of lowerings takes it.
inline Refusal refuse_conversion(const NodeView& node, const DevicePlan&) { return refuse_conversion(node); }

constexpr bool is_converted(DType dtype) {
  return dtype == DType::f16 || dtype == DType::f64 || dtype == DType::i8;
}

// Returns whether any operand of a quantized operator is stored as quantized values.
bool has_quantized(const NodeView& node);

template <LowerFunction lower>
Status via_f32(const LoweringContext& context) {
  const bool converts = is_converted(context.node.dtype()) || has_quantized(context.node);
  return converts ? lower_as_f32(context, lower) : lower(context);
}

}  // namespace nnrt::vulkan
