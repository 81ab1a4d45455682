// Helpers to lower elementwise operators, single and fused (Node::then).
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

#include <array>

namespace nnrt::vulkan {

// The operator's number and parameters for unary_functions.glsl; integer parameters for INT32.
uint32_t unary_number(Op op, const Attrs& attrs);
std::array<uint32_t, 2> unary_parameters(Op op, const Attrs& attrs, DType dtype);
// QUANT_DTYPE_CAST as a post-op of a node that computes steps (requantization.h): its number in the shaders.
uint32_t requantization_number(const Quant& quant);

// The equivalent operator of binary_functions.glsl: on BOOL, AND is MUL and OR is ADD.
Op arithmetic_of(Op op, const Attrs& attrs);
std::array<float, 2> pow_parameters(const Attrs& attrs);

// The strides of the second operand over the output: a vector along the channel, or broadcast from the right.
Strides second_strides(const NodeView& node);

// Returns whether lower_fused_elementwise() can lower this node with post-ops (core/passes/fuse.h) in one
// dispatch. Its shapes are static.
bool supports_fused_elementwise(const NodeView& node);
Status lower_fused_elementwise(const LoweringContext& context);

}  // namespace nnrt::vulkan
