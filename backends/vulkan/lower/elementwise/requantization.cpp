#include "backends/vulkan/lower/elementwise/requantization.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "core/base/rounding.h"
#include "core/schema/rules.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nnrt::vulkan {
namespace {

bool is_per_tensor(const Quant& quant) { return quant.scales.size() == 1; }

bool multiplies(Op op) {
  switch (op) {
    case Op::conv2d:
    case Op::conv2d_transpose:
    case Op::depthwise_conv2d_native:
    case Op::full_connection:
    case Op::matmul: return true;
    default: return false;
  }
}

bool pools(Op op) { return op == Op::avg_pool || op == Op::max_pool; }

}  // namespace

bool ends_in_steps(const Node& node) {
  return !node.post_ops.empty() && node.post_ops.back().op == Op::quant_dtype_cast;
}

bool computes_on_steps(const NodeView& node) {
  if (ends_in_steps(node.node())) return multiplies(node.op());
  const Quant& to = node.output(0).quant;
  if (!node.node().post_ops.empty() || node.output(0).dtype != DType::i8 || !is_per_tensor(to)) return false;
  if (!is_per_tensor(node.input(0).quant)) return false;
  if (pools(node.op())) return activation_of(node) == 0;
  return multiplies(node.op()) && !node.input(1).quant.empty();
}

Quant steps_of(Quant quant) {
  std::ranges::fill(quant.scales, 1.0);
  quant.ties_to_even = false;
  return quant;
}

// With ties to even, the factor is computed in FLOAT32, as in ONNX.
double sum_factor_of(const NodeView& node, size_t column) {
  const Quant &left = node.input(0).quant, &right = node.input(1).quant, &to = node.output(0).quant;
  const double scale = right.scales[right.scales.size() == 1 ? 0 : column];
  if (!to.ties_to_even) return left.scales[0] / to.scales[0] * scale;
  return double(float(left.scales[0]) * float(scale) / float(to.scales[0]));
}

std::array<uint32_t, 2> requantization_bits(double factor) {
  // Must match requantized_steps.glsl.
  constexpr int kLastDigit = 42, kDigits = 30;
  constexpr uint32_t kDigitsOffset = 1u << 23;
  constexpr double kAlwaysFar = 1 << 20;  // the product with any sum but 0 saturates
  const uint64_t digits = factor < kAlwaysFar ? uint64_t(std::ldexp(factor, kLastDigit) + 0.5) : 0;
  return {std::bit_cast<uint32_t>(float(factor)),
          uint32_t(digits & ((uint64_t{1} << kDigits) - 1)) + kDigitsOffset};
}

std::optional<SumFactors> sum_factors(double left, double right) {
  constexpr double kSteps = 256, kMaxSum = 1 << 20;
  constexpr int kFloatBits = 24;
  const double largest = kSteps * (std::abs(left) + std::abs(right));
  if (!(largest <= kMaxSum)) return std::nullopt;
  int exponent = 0;
  std::frexp(largest, &exponent);
  SumFactors factors;
  const std::array exact{left, right};
  for (size_t i = 0; i < exact.size(); ++i) {
    const int digits = kFloatBits - exponent;
    factors.high[i] = float(std::ldexp(std::round(std::ldexp(exact[i], digits)), -digits));
    factors.low[i] = float(exact[i] - factors.high[i]);
  }
  return factors;
}

std::vector<uint32_t> requantization_table(const NodeView& node, uint32_t stride) {
  const Shape& shape = node.output_shape();
  std::vector<uint32_t> table(2 * size_t{stride});
  for (size_t c = 0; c < size_t(shape.back()); ++c) {
    const auto [factor, digits] = requantization_bits(sum_factor_of(node, c));
    table[c] = factor;
    table[stride + c] = digits;
  }
  return table;
}

std::array<float, 2> step_limits(const Quant& quant, double low, double high) {
  const double zero_point = quant.zero_points[0];
  const auto step = [&](double real) {
    const double far = std::clamp(double(float(real / quant.scales[0])), -1024.0, 1024.0);
    return float(std::clamp(rounded_quotient(far, quant.ties_to_even), -128 - zero_point, 127 - zero_point));
  };
  return {step(low), step(high)};
}

}  // namespace nnrt::vulkan
