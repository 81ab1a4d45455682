// QUANT_DTYPE_CAST between a float and an 8-bit dtype; element i is of channel (i / inner) mod channels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "math.glsl"
#include "words.glsl"

layout(constant_id = 3) const bool TO_CODES = true;
layout(constant_id = 4) const bool SIGNED = true;
layout(push_constant) uniform Push { uint count, words, inner, channels; };

READS(0, x);
READS(1, parameters);  // of each channel the scale and the zero point
WRITES(2, y);

int code_of(uint i) {
  const uint c = i / inner % channels;
  const float scale = uintBitsToFloat(parameters.w[2u * c]);
  const int zero_point = int(parameters.w[2u * c + 1u]);
  const int shift = SIGNED ? 0 : 128;  // UINT8 as INT8 with another zero point
  return quantize(LOAD(x, i), scale, zero_point - shift) + shift;
}

float real_of(uint i) {
  const uint c = i / inner % channels;
  const int code = SIGNED ? signed_byte(x.w[i / 4u], i % 4u) : unsigned_byte(x.w[i / 4u], i % 4u);
  return uintBitsToFloat(parameters.w[2u * c]) * float(code - int(parameters.w[2u * c + 1u]));
}

void main() {
  const uint word = global_word();
  if (word >= words) return;
  if (TO_CODES) {
    ivec4 codes = ivec4(0);
    for (uint lane = 0u; lane < 4u; ++lane) {
      const uint i = word * 4u + lane;
      if (i < count) codes[lane] = code_of(i);
    }
    y.w[word] = pack_bytes(codes);
  } else {
    ELEM e[LANES];
    for (uint lane = 0u; lane < LANES; ++lane) {
      const uint i = word * LANES + lane;
      e[lane] = i < count ? real_of(i) : 0.0;
    }
    y.w[word] = pack(e);
  }
}
