// DYNAMIC_QUANTIZE after the extremes are known: scale, zero point and codes, four per invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/float_math.glsl"
#include "base/words.glsl"

layout(push_constant) uniform Push { uint count; };

READS4(0, x);
READS4(1, lowest);
READS4(2, highest);
WRITES4(3, y);
WRITES4(4, scales);
WRITES4(5, zero_points);

int code_of(uint i, float scale, int zero_point) {
  return quantize(uintBitsToFloat(WORD(x, min(i, count - 1u))), -scale, zero_point);  // ties to even
}

void main() {
  const uint word = global_word();
  const float low = min(uintBitsToFloat(WORD(lowest, 0u)), 0.0);
  const float high = max(uintBitsToFloat(WORD(highest, 0u)), 0.0);
  const float range = nearest_quotient(high - low, 255.0);
  const float scale = range == 0.0 ? 1.0 : range;
  const int zero_point = int(roundEven(clamp(nearest_quotient(-low, scale), 0.0, 255.0))) - 128;
  if (word == 0u) {
    WORD(scales, 0u) = floatBitsToUint(scale);
    WORD(zero_points, 0u) = uint(zero_point);
  }
  if (word * 4u >= count) return;
#define CODE(lane) code_of(word * 4u + lane, scale, zero_point)
  WORD(y, word) = pack_bytes(ivec4(CODE(0u), CODE(1u), CODE(2u), CODE(3u)));
}
