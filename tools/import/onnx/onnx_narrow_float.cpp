#include "tools/import/onnx/onnx_narrow_float.h"

#include "tools/import/onnx/onnx_formula.h"

#include <cmath>
#include <limits>

namespace nnrt::import::onnx {

// Adding and subtracting step = a * 2^(52 - mantissa bits) in FLOAT64 rounds a, half to even, to the type's
// precision: the sum's last bit is worth as much as that of the type. Below the least normal number, step and
// thus the last bit stay the same.
Result<TensorId> rounded_to(Call& call, TensorId given, const NarrowFloat& type, bool saturate) {
  constexpr double kFinite = 1e40;  // stands for infinity, above all types' range
  Formula f(call);
  const TensorId x = f.cast(f.cast(given, DType::f32), DType::f64);
  const TensorId a = f.min(f.abs(x), f.number(x, kFinite));
  const TensorId step =
      f.mul(f.max(a, f.number(x, type.least_normal())), std::ldexp(1, 52 - type.mantissa_bits()));
  TensorId rounded = f.sub(f.add(a, step), step);
  const double beyond = saturate              ? type.largest()
                        : type.has_infinity() ? std::numeric_limits<double>::infinity()
                                              : std::numeric_limits<double>::quiet_NaN();
  const TensorId largest = f.number(x, type.largest());
  rounded = f.where(f.less(largest, rounded), f.number(x, beyond), rounded);
  rounded = f.where(f.less(x, 0.0), f.neg(rounded), rounded);
  const TensorId zero = type.has_negative_zero() ? f.mul(x, 0.0) : f.number(x, 0);  // with the sign of x
  rounded = f.where(f.equal(rounded, 0.0), zero, rounded);
  rounded = f.where(f.equal(x, x), rounded, x);
  return f.cast(rounded, DType::f32);
}

}  // namespace nnrt::import::onnx
