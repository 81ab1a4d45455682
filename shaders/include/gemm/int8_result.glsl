// Requantizes exact integer sums to INT8 (R12), four columns per word. The including kernel has
// REQUANTIZE_PUSH in its push constants.
#ifndef NNRT_INT8_RESULT
#define NNRT_INT8_RESULT
#include "base/activation_limits.glsl"
#include "base/float_math.glsl"
#include "base/words.glsl"

// Scale 0: the results are the INT32 sums.
#define REQUANTIZE_PUSH \
  int zero;             \
  float scale;          \
  uint has_bias;        \
  float low, high;

#ifndef PARAMETERS_BINDING
#define PARAMETERS_BINDING 2
#endif
// `parameters`, per column of all groups: the scale of its sums, the zero point of b, and an addend.
READS4(PARAMETERS_BINDING, parameters);
READS(PARAMETERS_BINDING + 1, bias);

ivec4 with_terms(ivec4 sums, uint channel, bool has_bias) {
  for (uint i = 0u; i < 4u; ++i) {
    sums[i] += int(parameters.v[channel + i].z);
    if (has_bias) sums[i] += int(bias.w[channel + i]);
  }
  return sums;
}

uint requantized(ivec4 sums, uint channel, vec2 limits, float scale, int zero) {
  ivec4 quantized;
  for (uint i = 0u; i < 4u; ++i) {
    const float own = uintBitsToFloat(parameters.v[channel + i].x);
    quantized[i] = quantize(limited(float(sums[i]) * own, limits), scale, zero);
  }
  return pack_bytes(quantized);
}

// Stores four results, at a word of y if they are quantized. A macro, because push constants and y are
// declared later.
#define STORE_RESULTS(sums, channel, at)                                      \
  {                                                                           \
    const ivec4 complete = with_terms(sums, channel, has_bias != 0u);         \
    if (scale == 0.0) {                                                       \
      for (uint i = 0u; i < 4u; ++i) y.w[4u * (at) + i] = uint(complete[i]);  \
    } else {                                                                  \
      y.w[at] = requantized(complete, channel, vec2(low, high), scale, zero); \
    }                                                                         \
  }

#endif
