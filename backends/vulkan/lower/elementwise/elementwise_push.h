// What the lowerings of single elementwise operators and of chains of them (Node::then) share.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

#include <array>

namespace nnrt::vulkan {

// As unary_functions.glsl takes them; integers for INT32.
std::array<uint32_t, 2> unary_parameters(Op op, const Attrs& attrs, DType dtype);
// Those of QUANT_DTYPE_CAST as a step (dequantize_pass.h).
std::array<uint32_t, 2> rounding_parameters(const Quant& quant);

// The operator of binary_functions.glsl that this one is. On BOOL, "and" is the product and "or" the sum.
Op arithmetic_of(Op op, const Attrs& attrs);
std::array<float, 2> pow_parameters(const Attrs& attrs);

// How the second operand of the node's operator is read over the output: a vector along the channel, or
// broadcast from the right.
Strides second_strides(const NodeView& node);

// Whether the node, which has steps, can be lowered by lower_fused_elementwise(): all in one dispatch. What
// holds of such a node is said in core/passes/fuse.h; its shapes are static.
bool supports_fused_elementwise(const NodeView& node);
Status lower_fused_elementwise(const LoweringContext& context);

}  // namespace nnrt::vulkan
