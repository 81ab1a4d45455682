// IEEE half precision as a storage format: arithmetic is done in float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace nnrt {

struct Half {
  uint16_t bits = 0;
  bool operator==(const Half&) const = default;  // of the bits
};

// Exact.
inline float to_float(Half half) {
  const uint32_t sign = uint32_t(half.bits & 0x8000u) << 16;
  const uint32_t magnitude = uint32_t(half.bits & 0x7fffu) << 13;
  // The exponent moves from bias 15 to bias 127; the product is exact for subnormals too.
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  if (magnitude >= 0x0f800000u) bits |= 0x7f800000u;  // infinity and NaN
  return std::bit_cast<float>(bits | sign);
}

// To nearest, ties to even; from 65520 on infinity.
inline Half to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t half = 0;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u;
  } else if (magnitude >= std::bit_cast<uint32_t>(65520.0f)) {
    half = 0x7c00u;
  } else if (magnitude < std::bit_cast<uint32_t>(0x1p-14f)) {
    // The unit in the last place of 0.5f is the smallest subnormal: the addition rounds.
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  } else {
    const uint32_t odd = (magnitude >> 13) & 1u;
    half = (magnitude - (112u << 23) + 0xfffu + odd) >> 13;
  }
  return {uint16_t(half | sign)};
}

// To nearest, ties to even, in one rounding: the float between is rounded to odd, which keeps the tie.
inline Half to_half(double value) {
  const float narrowed = float(value);
  if (double(narrowed) == value || !std::isfinite(narrowed)) return to_half(narrowed);
  uint32_t bits = std::bit_cast<uint32_t>(narrowed);
  if (std::fabs(double(narrowed)) > std::fabs(value)) --bits;  // toward zero
  return to_half(std::bit_cast<float>(bits | 1u));
}

}  // namespace nnrt
