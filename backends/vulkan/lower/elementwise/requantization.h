// Quantized arithmetic on GPUs. Float kernels compute GEMMs, convolutions and pools on steps, which are codes
// minus the zero point: their products and sums are integers that FLOAT32 holds exactly.
// shaders/include/elementwise/requantized_steps.glsl scales the sums.
#pragma once

#include "core/passes/kernel_choice.h"
#include "core/schema/node_view.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace nnrt::vulkan {

// Returns whether the node ends with the post-op QUANT_DTYPE_CAST: its FLOAT32 results are steps of its
// output (dequantize_pass.h).
bool ends_in_steps(const Node& node);

// Returns whether a quantized node can compute on the steps of its inputs and return steps: of its output, if
// it multiplies, or of its first input, if it pools.
bool computes_on_steps(const NodeView& node);

// The quantization of steps as values of their own. `quant` may have several channels.
Quant steps_of(Quant quant);

// The factor from the sums of a GEMM or convolution to steps of its output.
double sum_factor_of(const NodeView& node, size_t column);

// The factor and digits of requantized(), as bits of its floats.
std::array<uint32_t, 2> requantization_bits(double factor);

// The factors of sum_of_steps(): `high` of two operands, whose products are exact, and the rest of each.
struct SumFactors {
  std::array<float, 2> high{}, low{};
};
// Empty if the factors are too large for FLOAT32 to separate steps.
std::optional<SumFactors> sum_factors(double left, double right);

// The factors of a GEMM or convolution from sums to steps of its output, for `stride` columns, and from
// `stride` on their digits, which ties to even don't need.
std::vector<uint32_t> requantization_table(const NodeView& node, uint32_t stride);

// The bounds of the steps of a tensor that is limited to real values in [low, high].
std::array<float, 2> step_limits(const Quant& quant, double low, double high);

}  // namespace nnrt::vulkan
