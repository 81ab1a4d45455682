// Rounding to quantized values (R12).
#pragma once

#include <cmath>

namespace nnrt {

// Rounds to the nearest integer: ties away from zero, or to even, in which case the quotient is a FLOAT32.
inline double rounded_quotient(double quotient, bool ties_to_even) {
  if (!ties_to_even) return std::round(quotient);
  const auto value = static_cast<float>(quotient);
  constexpr float kAllWhole = 8388608.0f;  // every float from here on is an integer
  if (!(std::fabs(value) < kAllWhole)) return value;
  const float below = std::floor(value), part = value - below;
  const bool up = part > 0.5f || (part == 0.5f && std::fmod(below, 2.0f) != 0.0f);
  return up ? below + 1.0f : below;
}

}  // namespace nnrt
