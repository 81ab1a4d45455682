// Helpers for lowerings of single and of fused elementwise operators (Node::then).
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

#include <array>

namespace nnrt::vulkan {

// The operator's number, and its parameters, as unary_functions.glsl takes them; integers for INT32.
uint32_t unary_number(Op op, const Attrs& attrs);
std::array<uint32_t, 2> unary_parameters(Op op, const Attrs& attrs, DType dtype);
// The parameters of QUANT_DTYPE_CAST as a post-op (dequantize_pass.h).
std::array<uint32_t, 2> rounding_parameters(const Quant& quant);

// The operator of binary_functions.glsl that computes this one. On BOOL, "and" is MUL and "or" is ADD.
Op arithmetic_of(Op op, const Attrs& attrs);
std::array<float, 2> pow_parameters(const Attrs& attrs);

// Returns the strides with which the second operand of the node's operator is read over the output: a vector
// along the channel, or broadcast from the right.
Strides second_strides(const NodeView& node);

// Returns whether lower_fused_elementwise() can lower the node, which has post-ops, in one dispatch.
// core/passes/fuse.h describes such nodes; its shapes are static.
bool supports_fused_elementwise(const NodeView& node);
Status lower_fused_elementwise(const LoweringContext& context);

}  // namespace nnrt::vulkan
