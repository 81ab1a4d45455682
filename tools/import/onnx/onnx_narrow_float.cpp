#include "tools/import/onnx/onnx_narrow_float.h"

#include "tools/import/onnx/onnx_call.h"

#include <cmath>
#include <limits>

namespace nnrt::import::onnx {

// Adding and subtracting step = a * 2^(52 - mantissa bits) in FLOAT64 rounds a, half to even, to the type's
// precision: the sum's last bit is worth as much as that of the type. Below the least normal number, step and
// thus the last bit stay the same.
TensorId rounded_to(Call& call, TensorId given, const NarrowFloat& type, bool saturate) {
  constexpr double kFinite = 1e40;  // stands for infinity, above all types' range
  const TensorId x = call.cast(call.cast(given, DType::f32), DType::f64);
  const TensorId a = call.min(call.abs(x), call.number(x, kFinite));
  const TensorId step =
      call.mul(call.max(a, call.number(x, type.least_normal())), std::ldexp(1, 52 - type.mantissa_bits()));
  TensorId rounded = call.sub(call.add(a, step), step);
  const double beyond = saturate              ? type.largest()
                        : type.has_infinity() ? std::numeric_limits<double>::infinity()
                                              : std::numeric_limits<double>::quiet_NaN();
  const TensorId largest = call.number(x, type.largest());
  rounded = call.where(call.less(largest, rounded), call.number(x, beyond), rounded);
  rounded = call.where(call.less(x, 0.0), call.neg(rounded), rounded);
  const TensorId zero =
      type.has_negative_zero() ? call.mul(x, 0.0) : call.number(x, 0);  // with the sign of x
  rounded = call.where(call.equal(rounded, 0.0), zero, rounded);
  rounded = call.where(call.equal(x, x), rounded, x);
  return call.cast(rounded, DType::f32);
}

}  // namespace nnrt::import::onnx
