// Exact sums of products of quantized values as results of INT8 (R12), four columns in a word. A kernel that
// includes this has REQUANTIZE_PUSH in its push constants.
#ifndef NNRT_INT8_RESULT
#define NNRT_INT8_RESULT
#include "base/activation_limits.glsl"
#include "base/float_math.glsl"
#include "base/words.glsl"

#define REQUANTIZE_PUSH \
  int zero;             \
  float scale;          \
  uint has_bias;        \
  float low, high;

#ifndef PARAMETERS_BINDING
#define PARAMETERS_BINDING 2
#endif
// Hold of each column of all groups the scale of its sums, the zero point of b, and what is added to sums.
READS4(PARAMETERS_BINDING, parameters);
READS(PARAMETERS_BINDING + 1, bias);

// A macro, because the push constants are declared behind this.
#define REQUANTIZED(sums, channel) requantized(sums, channel, has_bias != 0u, vec2(low, high), scale, zero)

uint requantized(ivec4 sums, uint channel, bool has_bias, vec2 limits, float scale, int zero) {
  ivec4 quantized;
  for (uint i = 0u; i < 4u; ++i) {
    const uvec4 own = parameters.v[channel + i];
    int sum = sums[i] + int(own.z);
    if (has_bias) sum += int(bias.w[channel + i]);
    quantized[i] = quantize(limited(float(sum) * uintBitsToFloat(own.x), limits), scale, zero);
  }
  return pack_bytes(quantized);
}

#endif
