// Stores integer sums, requantized to INT8 or as they are, four columns per word. The including kernel has
// REQUANTIZE_PUSH in its push constants.
#ifndef NNRT_INT8_RESULT
#define NNRT_INT8_RESULT
#include "base/words.glsl"
#include "gemm/int8_code.glsl"

#ifndef PARAMETERS_BINDING
#define PARAMETERS_BINDING 2
#endif
// `parameters`, per column of all groups: the factor of its sums, the zero point of b, an addend, and the
// factor's digits.
READS4(PARAMETERS_BINDING, parameters);
READS(PARAMETERS_BINDING + 1, bias);

ivec4 with_terms(ivec4 sums, uint channel, bool has_bias) {
  for (uint i = 0u; i < 4u; ++i) {
    sums[i] += int(parameters.v[channel + i].z);
    if (has_bias) sums[i] += int(bias.w[channel + i]);
  }
  return sums;
}

uint codes_of(ivec4 sums, uint channel, uint rounding, vec2 limits, int zero) {
  ivec4 codes;
  for (uint i = 0u; i < 4u; ++i) {
    const vec4 own = uintBitsToFloat(parameters.v[channel + i]);
    codes[i] = code_of(sums[i], own.x, own.w, rounding, limits, zero);
  }
  return pack_bytes(codes);
}

// Stores four results, at a word of y if they are quantized. A macro, because push constants and y are
// declared later.
#define STORE_RESULTS(sums, channel, at)                                      \
  {                                                                           \
    const ivec4 complete = with_terms(sums, channel, has_bias != 0u);         \
    if (rounding == ROUNDS_NONE) {                                            \
      for (uint i = 0u; i < 4u; ++i) y.w[4u * (at) + i] = uint(complete[i]);  \
    } else {                                                                  \
      y.w[at] = codes_of(complete, channel, rounding, vec2(low, high), zero); \
    }                                                                         \
  }

#endif
