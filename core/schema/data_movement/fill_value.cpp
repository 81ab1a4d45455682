#include "core/base/fp16.h"
#include "core/base/rounding.h"
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/rules.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt {
namespace {

template <typename T>
Bytes bytes_of(T value) {
  Bytes bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// As CAST: rounds toward zero and saturates; NaN becomes 0.
template <typename T>
T truncated(double value) {
  if (std::isnan(value)) return 0;
  // INT64's maximum is not representable as a double; the next double above it is used.
  if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  if (value <= double(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return T(value);
}

Bytes quantized(double real, const Quant& quant) {
  const double code = rounded_quotient(real / quant.scales[0], quant.ties_to_even) + quant.zero_points[0];
  return bytes_of(truncated<int8_t>(std::clamp(code, -128.0, 127.0)));
}

// Quantizes a number with `source`'s parameters, then requantizes it to the output's (R11).
Bytes coded(const NodeView& node, const Tensor& source, double real) {
  const Tensor& target = node.output(0);
  Bytes code = quantized(real, source.quant);
  if (!requantizes(node.schema(), source, target)) return code;
  const auto stored = static_cast<int8_t>(code[0]);
  return quantized(source.quant.scales[0] * (stored - source.quant.zero_points[0]), target.quant);
}

double real_of(const AttrValue& constant) {
  return is_float(constant.dtype) ? constant.floats.at(0) : double(constant.integers.at(0));
}

Bytes converted(const AttrValue& constant, DType dtype) {
  const bool is_floating = is_float(constant.dtype);
  const double real = real_of(constant);
  switch (dtype) {
    case DType::boolean: return bytes_of(uint8_t(real != 0));
    case DType::i8: return bytes_of(truncated<int8_t>(real));
    case DType::u8: return bytes_of(truncated<uint8_t>(real));
    case DType::f16: return bytes_of(to_half(real).bits);
    case DType::f32: return bytes_of(float(real));
    case DType::i16: return bytes_of(truncated<int16_t>(real));
    case DType::u16: return bytes_of(truncated<uint16_t>(real));
    case DType::i32: return bytes_of(is_floating ? truncated<int32_t>(real) : int32_t(constant.integers[0]));
    case DType::u32:
      return bytes_of(is_floating ? truncated<uint32_t>(real) : uint32_t(constant.integers[0]));
    case DType::i64: return bytes_of(is_floating ? truncated<int64_t>(real) : constant.integers[0]);
    case DType::u64:
      return bytes_of(is_floating ? truncated<uint64_t>(real) : uint64_t(constant.integers[0]));
    case DType::f64: return bytes_of(real);
    case DType::unknown: break;
  }
  return Bytes(size_of(dtype));
}

}  // namespace

Bytes fill_element(const NodeView& node) {
  if (node.op() == Op::constant_of_shape) {
    return converted(node.attrs().at(Attr::value), node.output(0).dtype);
  }
  const Tensor& source = node.input(size_t(node.schema().outputs[0].same_as));
  const bool is_coded = has_quantized_values(node.schema(), source);
  if (node.op() == Op::pad && node.attrs().has(Attr::constant_value)) {
    const AttrValue& constant = node.attrs().at(Attr::constant_value);
    return is_coded ? coded(node, source, real_of(constant)) : converted(constant, source.dtype);
  }
  return is_coded ? coded(node, source, 0) : Bytes(size_of(source.dtype));
}

}  // namespace nnrt
