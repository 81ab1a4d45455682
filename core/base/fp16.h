// IEEE half precision, for storage only; arithmetic is done in float.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace nnrt {

struct Half {
  uint16_t bits = 0;
  bool operator==(const Half&) const = default;  // bitwise
};

// Exact.
inline float to_float(Half half) {
  const uint32_t sign = uint32_t(half.bits & 0x8000u) << 16;
  const uint32_t magnitude = uint32_t(half.bits & 0x7fffu) << 13;
  // Rebiases the exponent from 15 to 127; exact for subnormals too.
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  if (magnitude >= 0x0f800000u) bits |= 0x7f800000u;  // infinity and NaN
  return std::bit_cast<float>(bits | sign);
}

// Rounds to nearest even; 65520 and above become infinity.
inline Half to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  // Computes both cases and selects without a branch, so that compilers can vectorize it.
  // The ulp of 0.5f is the smallest half subnormal, so this addition rounds.
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  const uint32_t rounded = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const uint32_t nan = uint32_t(magnitude > 0x7f800000u) << 9;
  const uint32_t normal = std::min(rounded, 0x7c00u) | nan;
  const uint32_t is_subnormal = 0u - uint32_t(magnitude < std::bit_cast<uint32_t>(0x1p-14f));
  const uint32_t half = (subnormal & is_subnormal) | (normal & ~is_subnormal);
  return {uint16_t(half | sign)};
}

// Rounds to nearest even without double rounding: the intermediate float is rounded to odd.
inline Half to_half(double value) {
  const float narrowed = float(value);
  if (double(narrowed) == value || !std::isfinite(narrowed)) return to_half(narrowed);
  uint32_t bits = std::bit_cast<uint32_t>(narrowed);
  if (std::fabs(double(narrowed)) > std::fabs(value)) --bits;  // toward zero
  return to_half(std::bit_cast<float>(bits | 1u));
}

}  // namespace nnrt
