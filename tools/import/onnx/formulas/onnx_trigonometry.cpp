// Trigonometric and hyperbolic functions that OH_NN lacks.
#include "tools/import/onnx/onnx_call.h"

#include <numbers>

namespace nnrt::import::onnx {
namespace {

constexpr double kHalfPi = std::numbers::pi / 2, kQuarterPi = std::numbers::pi / 4;

// atan(x) for x >= 0, including infinity. Range reduction: above tan(pi / 8), pi / 4 + atan((x - 1) / (x +
// 1)); above its reciprocal, pi / 2 - atan(1 / x). The rest is a polynomial interpolated at Chebyshev nodes
// with a relative error of 2e-8.
TensorId positive_atan(Call& call, TensorId x) {
  constexpr double kSmall = 0.41421356237309503;
  constexpr double kTerms[] = {0.07976291805975715, -0.13848490212151499, 0.19974082415510555,
                               -0.33332785771925305, 0.9999999812646109};
  const TensorId is_small = call.less(x, kSmall), is_large = call.less(call.number(x, 1 / kSmall), x);
  const TensorId far = call.neg(call.reciprocal(call.where(is_large, x, call.number(x, 1.0))));
  const TensorId bounded = call.where(is_large, call.number(x, 1.0), x);
  const TensorId near = call.div(call.sub(bounded, 1.0), call.add(bounded, 1.0));
  const TensorId argument = call.where(is_small, x, call.where(is_large, far, near));
  const TensorId square = call.mul(argument, argument);
  TensorId sum = call.number(x, kTerms[0]);
  for (size_t i = 1; i < std::size(kTerms); ++i) sum = call.add(call.mul(sum, square), kTerms[i]);
  const TensorId offset =
      call.where(is_small, call.number(x, 0.0),
                 call.where(is_large, call.number(x, kHalfPi), call.number(x, kQuarterPi)));
  return call.add(call.mul(sum, argument), offset);
}

// f(|x|) with the sign of x.
template <TensorId (*function)(Call&, TensorId)>
TensorId odd(Call& call, TensorId x) {
  const TensorId positive = function(call, call.abs(x));
  return call.where(call.less(x, 0.0), call.neg(positive), positive);
}

TensorId atan(Call& call, TensorId x) { return odd<positive_atan>(call, x); }

// sqrt(1 - x x), without cancellation.
TensorId other_side(Call& call, TensorId x) {
  return call.sqrt(call.mul(call.sub(call.number(x, 1.0), x), call.add(x, 1.0)));
}

// asin(x) = 2 atan(x / (1 + sqrt(1 - x x)))
TensorId asin(Call& call, TensorId x) {
  return call.mul(atan(call, call.div(x, call.add(other_side(call, x), 1.0))), 2.0);
}

// For x = -1 this is the arctangent of infinity.
TensorId acos(Call& call, TensorId x) {
  const TensorId ratio = call.div(call.sub(call.number(x, 1.0), x), call.add(x, 1.0));
  return call.mul(positive_atan(call, call.sqrt(ratio)), 2.0);
}

TensorId tan(Call& call, TensorId x) { return call.div(call.emit(Op::sin, {x}), call.emit(Op::cos, {x})); }

// e^(x/2), to be multiplied in twice so that intermediates don't overflow before the result does.
TensorId half_power(Call& call, TensorId x) { return call.emit(Op::exp, {x}, {{Attr::scale, 0.5f}}); }

TensorId cosh(Call& call, TensorId x) {
  const TensorId root = half_power(call, call.abs(x)), inverse = call.reciprocal(root);
  return call.add(call.mul(call.mul(root, 0.5), root), call.mul(call.mul(inverse, 0.5), inverse));
}

// Near 0 the difference of exponentials cancels, so use the series.
TensorId positive_sinh(Call& call, TensorId x) {
  const TensorId root = half_power(call, x), inverse = call.reciprocal(root);
  const TensorId difference =
      call.sub(call.mul(call.mul(root, 0.5), root), call.mul(call.mul(inverse, 0.5), inverse));
  const TensorId square = call.mul(x, x);
  const TensorId fifth = call.add(call.mul(square, 1.0 / 20), 1.0);
  const TensorId series = call.mul(x, call.add(call.mul(call.mul(square, 1.0 / 6), fifth), 1.0));
  return call.where(call.less(x, 0.3), series, difference);
}

// ln(x + sqrt(x x + 1)): ln(1 + ...) near 0, and ln(2 x) where the square would overflow.
TensorId positive_asinh(Call& call, TensorId x) {
  const bool half = call.dtype(x) == DType::f16;
  const double large = half ? 100 : 1e9;
  const TensorId is_large = call.less(call.number(x, large), x);
  const TensorId bounded = call.where(is_large, call.number(x, 1.0), x);
  const TensorId root = call.sqrt(call.add(call.mul(bounded, bounded), 1.0));
  const TensorId middle = call.log(call.add(bounded, root));
  const TensorId square = call.mul(bounded, bounded);
  const TensorId fifth = call.sub(call.mul(square, 3.0 / 40), 1.0 / 6);
  const TensorId series = call.mul(bounded, call.add(call.mul(square, fifth), 1.0));
  const TensorId small = call.where(call.less(x, 0.1), series, middle);
  return call.where(is_large, call.add(call.log(x), std::numbers::ln2), small);
}

// Like asinh, with x x - 1. The roots are separate so that their product cannot overflow.
TensorId acosh(Call& call, TensorId x) {
  return positive_asinh(call, call.mul(call.sqrt(call.sub(x, 1.0)), call.sqrt(call.add(x, 1.0))));
}

TensorId atanh(Call& call, TensorId x) {
  const TensorId ratio = call.div(call.add(x, 1.0), call.sub(call.number(x, 1.0), x));
  const TensorId square = call.mul(x, x);
  const TensorId fifth = call.add(call.mul(square, 1.0 / 5), 1.0 / 3);
  const TensorId series = call.mul(x, call.add(call.mul(square, fifth), 1.0));
  return call.where(call.less(call.abs(x), 0.1), series, call.mul(call.log(ratio), 0.5));
}

template <TensorId (*function)(Call&, TensorId)>
Ids of_one(Call& call) {
  return {function(call, call.input(0))};
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
