// Requantization of exact integer sums to INT8 (R12).
#ifndef NNRT_INT8_CODE
#define NNRT_INT8_CODE
#include "base/activation_limits.glsl"
#include "elementwise/requantized_steps.glsl"

// Must match Rounding of backends/vulkan/lower/int8/int8_operands.h.
const uint ROUNDS_NONE = 0u;  // the results are the sums
const uint ROUNDS_TO_EVEN = 2u;

// The end of the push constants; `low` and `high` are steps.
#define REQUANTIZE_PUSH \
  int zero;             \
  uint rounding;        \
  uint has_bias;        \
  float low, high;

int code_of(int sum, float factor, float digits, uint rounding, vec2 limits, int zero) {
  const float steps =
      rounding == ROUNDS_TO_EVEN ? requantized_to_even(float(sum), factor) : requantized(sum, factor, digits);
  return int(limited(steps, limits)) + zero;
}

#endif
