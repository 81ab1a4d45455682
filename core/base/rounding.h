// Rounding to quantized values (R12).
#pragma once

#include <cmath>

namespace nnrt {

// The nearest whole number. Ties go away from zero, or to even, and then the quotient is a FLOAT32.
inline double rounded_quotient(double quotient, bool ties_to_even) {
  if (!ties_to_even) return std::round(quotient);
  const auto value = static_cast<float>(quotient);
  constexpr float kAllWhole = 8388608.0f;  // from here on every float is a whole number
  if (!(std::fabs(value) < kAllWhole)) return value;
  const float below = std::floor(value), part = value - below;
  const bool up = part > 0.5f || (part == 0.5f && std::fmod(below, 2.0f) != 0.0f);
  return up ? below + 1.0f : below;
}

}  // namespace nnrt
