#include "backends/cpu/int8/int8_formula.h"

#include "backends/cpu/simd/simd.h"
#include "core/graph/activation.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt::cpu {
namespace {

constexpr int64_t kBlock = kSumBlock;

template <bool Multiplies, bool TiesToEven>
[[gnu::always_inline]] inline void exact_block(const ExactFormula& exact, const int8_t* a, const int8_t* b,
                                               int8_t* to) {
  constexpr double kFar = 1024;                    // beyond every quantized value for any zero point
  constexpr double kToWhole = 6755399441055744.0;  // adding it rounds ties to even
  constexpr double kBelowHalf = 0.49999999999999994;
  const ExactFormula f = exact;
  int8_t result[kBlock];
  for (int64_t i = 0; i < kBlock; ++i) {
    const double x = f.a.scale * double(a[i] - f.a.zero_point), y = f.b.scale * double(b[i] - f.b.zero_point);
    double real = Multiplies ? x * y : x + f.sign_b * y;
    real = real < f.low ? f.low : real;
    real = real > f.high ? f.high : real;
    double value = real / f.to.scale;
    value = value > -kFar ? value : -kFar;
    value = value < kFar ? value : kFar;
    const int32_t rounded = TiesToEven ? int32_t(double(float(value)) + kToWhole - kToWhole)
                                       : int32_t(value + std::copysign(kBelowHalf, value));
    const int32_t code = rounded + f.to.zero_point;
    result[i] = int8_t(code < -128 ? -128 : code > 127 ? 127 : code);
  }
  std::memcpy(to, result, sizeof result);
}

template <bool Multiplies>
[[gnu::always_inline]] inline void exact_block(const ExactFormula& exact, const int8_t* a, const int8_t* b,
                                               int8_t* to) {
  exact.to.ties_to_even ? exact_block<Multiplies, true>(exact, a, b, to)
                        : exact_block<Multiplies, false>(exact, a, b, to);
}

}  // namespace

bool supports_int8_arithmetic(const NodeView& node) {
  constexpr double kFar = 8192;      // floats still separate ties from their neighbors
  constexpr double kNormal = 1e-30;  // products and their factors stay normal numbers
  constexpr int32_t kMaxZeroPoint = 256;
  for (const Tensor* tensor : {&node.input(0), &node.input(1), &node.output(0)}) {
    if (tensor->dtype != DType::i8 || tensor->quant.scales.size() != 1) return false;
    const Affine affine = affine_of(*tensor);
    if (std::abs(affine.zero_point) > kMaxZeroPoint || affine.scale < kNormal || affine.scale > 1 / kNormal)
      return false;
  }
  const double a = affine_of(node.input(0)).scale, b = affine_of(node.input(1)).scale;
  const double to = affine_of(node.output(0)).scale;
  if (node.op() != Op::mul) return 256 * (a + b) / to < kFar;
  const double factor = a * b / to;
  return factor > kNormal && factor < 1 / kNormal;
}

ExactFormula exact_formula(const NodeView& node, size_t first) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Activation activation = activation_of(node.attrs());
  return {node.op() == Op::mul,
          affine_of(node.input(first)),
          affine_of(node.input(1 - first)),
          affine_of(node.output(0)),
          node.op() == Op::sub ? -1.0 : 1.0,
          activation == Activation::none ? -kInfinity : 0,
          activation == Activation::relu6 ? 6 : kInfinity};
}

void compute_exactly(const ExactFormula& formula, const int8_t* a, const int8_t* b, int8_t* to) {
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        if (formula.multiplies) {
          exact_block<true>(formula, a, b, to);
        } else {
          exact_block<false>(formula, a, b, to);
        }
      });
}

CodeBounds code_bounds(const NodeView& node) {
  const Affine to = affine_of(node.output(0));
  const Activation activation = activation_of(node.attrs());
  return {activation == Activation::none ? -128 : quantize<int8_t>(0, to),
          activation == Activation::relu6 ? quantize<int8_t>(6, to) : 127};
}

Int8Sum int8_sum(const NodeView& node, size_t first) {
  const ExactFormula exact = exact_formula(node, first);
  const auto [low, high] = code_bounds(node);
  return {fixed_sum(exact.a, exact.b, exact.sign_b, exact.to, low, high), exact};
}

}  // namespace nnrt::cpu
