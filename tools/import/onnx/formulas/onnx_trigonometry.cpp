// Trigonometric and hyperbolic functions that OH_NN lacks.
#include "tools/import/onnx/onnx_formula.h"

#include <numbers>

namespace nnrt::import::onnx {
namespace {

constexpr double kHalfPi = std::numbers::pi / 2, kQuarterPi = std::numbers::pi / 4;

// atan(x) for x >= 0, including infinity. Range reduction: above tan(pi / 8), pi / 4 + atan((x - 1) / (x +
// 1)); above its reciprocal, pi / 2 - atan(1 / x). The rest is a polynomial interpolated at Chebyshev nodes
// with a relative error of 2e-8.
TensorId positive_atan(Formula& f, TensorId x) {
  constexpr double kSmall = 0.41421356237309503;
  constexpr double kTerms[] = {0.07976291805975715, -0.13848490212151499, 0.19974082415510555,
                               -0.33332785771925305, 0.9999999812646109};
  const TensorId is_small = f.less(x, kSmall), is_large = f.less(f.number(x, 1 / kSmall), x);
  const TensorId far = f.neg(f.reciprocal(f.where(is_large, x, f.number(x, 1.0))));
  const TensorId bounded = f.where(is_large, f.number(x, 1.0), x);
  const TensorId near = f.div(f.sub(bounded, 1.0), f.add(bounded, 1.0));
  const TensorId argument = f.where(is_small, x, f.where(is_large, far, near));
  const TensorId square = f.mul(argument, argument);
  TensorId sum = f.number(x, kTerms[0]);
  for (size_t i = 1; i < std::size(kTerms); ++i) sum = f.add(f.mul(sum, square), kTerms[i]);
  const TensorId offset =
      f.where(is_small, f.number(x, 0.0), f.where(is_large, f.number(x, kHalfPi), f.number(x, kQuarterPi)));
  return f.add(f.mul(sum, argument), offset);
}

// f(|x|) with the sign of x.
template <TensorId (*function)(Formula&, TensorId)>
TensorId odd(Formula& f, TensorId x) {
  const TensorId positive = function(f, f.abs(x));
  return f.where(f.less(x, 0.0), f.neg(positive), positive);
}

TensorId atan(Formula& f, TensorId x) { return odd<positive_atan>(f, x); }

// sqrt(1 - x x), without cancellation.
TensorId other_side(Formula& f, TensorId x) {
  return f.sqrt(f.mul(f.sub(f.number(x, 1.0), x), f.add(x, 1.0)));
}

// asin(x) = 2 atan(x / (1 + sqrt(1 - x x)))
TensorId asin(Formula& f, TensorId x) { return f.mul(atan(f, f.div(x, f.add(other_side(f, x), 1.0))), 2.0); }

// For x = -1 this is the arctangent of infinity.
TensorId acos(Formula& f, TensorId x) {
  const TensorId ratio = f.div(f.sub(f.number(x, 1.0), x), f.add(x, 1.0));
  return f.mul(positive_atan(f, f.sqrt(ratio)), 2.0);
}

TensorId tan(Formula& f, TensorId x) { return f.div(f.emit(OH_NN_OPS_SIN, {x}), f.emit(OH_NN_OPS_COS, {x})); }

// e^(x/2), to be multiplied in twice so that intermediates don't overflow before the result does.
TensorId half_power(Formula& f, TensorId x) {
  return f.emit(OH_NN_OPS_EXP, {x}, {float_parameter(OH_NN_EXP_SCALE, 0.5f)});
}

TensorId cosh(Formula& f, TensorId x) {
  const TensorId root = half_power(f, f.abs(x)), inverse = f.reciprocal(root);
  return f.add(f.mul(f.mul(root, 0.5), root), f.mul(f.mul(inverse, 0.5), inverse));
}

// Near 0 the difference of exponentials cancels, so use the series.
TensorId positive_sinh(Formula& f, TensorId x) {
  const TensorId root = half_power(f, x), inverse = f.reciprocal(root);
  const TensorId difference = f.sub(f.mul(f.mul(root, 0.5), root), f.mul(f.mul(inverse, 0.5), inverse));
  const TensorId square = f.mul(x, x);
  const TensorId fifth = f.add(f.mul(square, 1.0 / 20), 1.0);
  const TensorId series = f.mul(x, f.add(f.mul(f.mul(square, 1.0 / 6), fifth), 1.0));
  return f.where(f.less(x, 0.3), series, difference);
}

// ln(x + sqrt(x x + 1)): ln(1 + ...) near 0, and ln(2 x) where the square would overflow.
TensorId positive_asinh(Formula& f, TensorId x) {
  const bool half = f.dtype(x) == DType::f16;
  const double large = half ? 100 : 1e9;
  const TensorId is_large = f.less(f.number(x, large), x);
  const TensorId bounded = f.where(is_large, f.number(x, 1.0), x);
  const TensorId root = f.sqrt(f.add(f.mul(bounded, bounded), 1.0));
  const TensorId middle = f.log(f.add(bounded, root));
  const TensorId square = f.mul(bounded, bounded);
  const TensorId fifth = f.sub(f.mul(square, 3.0 / 40), 1.0 / 6);
  const TensorId series = f.mul(bounded, f.add(f.mul(square, fifth), 1.0));
  const TensorId small = f.where(f.less(x, 0.1), series, middle);
  return f.where(is_large, f.add(f.log(x), std::numbers::ln2), small);
}

// Like asinh, with x x - 1. The roots are separate so that their product cannot overflow.
TensorId acosh(Formula& f, TensorId x) {
  return positive_asinh(f, f.mul(f.sqrt(f.sub(x, 1.0)), f.sqrt(f.add(x, 1.0))));
}

TensorId atanh(Formula& f, TensorId x) {
  const TensorId ratio = f.div(f.add(x, 1.0), f.sub(f.number(x, 1.0), x));
  const TensorId square = f.mul(x, x);
  const TensorId fifth = f.add(f.mul(square, 1.0 / 5), 1.0 / 3);
  const TensorId series = f.mul(x, f.add(f.mul(square, fifth), 1.0));
  return f.where(f.less(f.abs(x), 0.1), series, f.mul(f.log(ratio), 0.5));
}

template <TensorId (*function)(Formula&, TensorId)>
Result<Ids> of_one(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  return Ids{function(f, x)};
}

}  // namespace

std::vector<Row> trigonometry_rows() {
  return {
      {"Acos", of_one<acos>}, {"Acosh", of_one<acosh>},
      {"Asin", of_one<asin>}, {"Asinh", of_one<odd<positive_asinh>>},
      {"Atan", of_one<atan>}, {"Atanh", of_one<atanh>},
      {"Cosh", of_one<cosh>}, {"Sinh", of_one<odd<positive_sinh>>},
      {"Tan", of_one<tan>},
  };
}

}  // namespace nnrt::import::onnx
