#include "tools/import/network/elements/narrow_float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt::import {

double NarrowFloat::least_normal() const { return std::ldexp(1, 1 - bias); }

double NarrowFloat::largest() const {
  const uint32_t all = (uint32_t{1} << (bits - 1)) - 1;
  switch (specials) {
    case Specials::ieee: return decoded(all - (uint32_t{1} << mantissa_bits()));
    case Specials::only_nan: return decoded(all - 1);
    case Specials::one_nan: break;
  }
  return decoded(all);
}

float NarrowFloat::decoded(uint32_t code) const {
  const uint32_t sign_bit = uint32_t{1} << (bits - 1), rest = code & (sign_bit - 1);
  const uint32_t fraction = rest & ((uint32_t{1} << mantissa_bits()) - 1);
  const auto exponent = static_cast<int>(rest >> mantissa_bits());
  const float sign = (code & sign_bit) != 0 ? -1.0f : 1.0f;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (specials == Specials::one_nan && code == sign_bit) return kNan;
  if (specials == Specials::only_nan && rest == sign_bit - 1) return kNan;
  if (specials == Specials::ieee && exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? kNan : sign * std::numeric_limits<float>::infinity();
  const int significand = (exponent == 0 ? 0 : 1 << mantissa_bits()) + static_cast<int>(fraction);
  return sign * std::ldexp(static_cast<float>(significand), std::max(exponent, 1) - bias - mantissa_bits());
}

Bytes NarrowFloat::widened(ByteView codes) const {
  Bytes floats(codes.size() / size() * sizeof(float));
  float table[256];
  for (uint32_t code = 0; bits == 8 && code < 256; ++code) table[code] = decoded(code);
  for (size_t i = 0; i < codes.size() / size(); ++i) {
    float value = 0;
    if (bits == 8) {
      value = table[std::to_integer<size_t>(codes[i])];
    } else {
      const uint32_t code =
          std::to_integer<uint32_t>(codes[2 * i]) | std::to_integer<uint32_t>(codes[2 * i + 1]) << 8;
      value = bits == 16 && exponent_bits == 8 ? std::bit_cast<float>(code << 16) : decoded(code);
    }
    std::memcpy(floats.data() + i * sizeof value, &value, sizeof value);
  }
  return floats;
}

}  // namespace nnrt::import
