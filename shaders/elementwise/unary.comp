// Unary elementwise operators (R18), selected by OH_NN_OperationType.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/float64_bits.glsl"
#include "base/int64_pairs.glsl"
#include "base/words.glsl"
#include "elementwise/unary_functions.glsl"

layout(constant_id = 3) const uint OP = 0;
layout(push_constant) uniform Push {
  uint vectors;
  float a, b;  // of the operator
  uint step;   // between an invocation's vectors
};

READS_VECTORS(0, x);
WRITES4(1, y);

#if defined(I64)
ELEM f(ELEM v) {
  switch (OP) {
    case OP_ABS: return magnitude(v);
    case OP_NEG: return negate(v);
    case OP_SIGN: return is_negative(v) ? uvec2(~0u) : uvec2(v == uvec2(0u) ? 0u : 1u, 0u);
    case OP_BITWISE_NOT: return ~v;
  }
  return v;
}
#elif defined(I32) || defined(I16)
ELEM f(ELEM v) {
  switch (OP) {
    case OP_RELU: return max(v, 0);
    case OP_ABS: return abs(v);
    case OP_SQUARE: return v * v;
    case OP_CLIP: return min(max(v, floatBitsToInt(a)), floatBitsToInt(b));
    case OP_NEG: return -v;
    case OP_SIGN: return sign(v);
    case OP_BITWISE_NOT: return ~v;
  }
  return v;
}
#else
float of_float(float v) { return unary_of(OP, v, vec2(a, b)); }

#ifdef F64
// R13: inexact results may have the precision of FLOAT32.
ELEM f(ELEM v) {
  switch (OP) {
    case OP_NEG: return v ^ uvec2(0u, 0x80000000u);
    case OP_CEIL: return ceil_of(v);
    case OP_FLOOR: return floor_of(v);
    case OP_ROUND: return round_of(v);
    case OP_ROUND_HALF_EVEN: return round_half_even_of(v);
    case OP_SIGN:
      return is_nan(v) || positive(v) == uvec2(0u) ? v : uvec2(0u, (v.y & 0x80000000u) | 0x3ff00000u);
  }
  return double_of(of_float(float_of(v)));
}
#else
ELEM f(ELEM v) { return of_float(v); }
#endif
#endif

#ifdef WIDE
uvec4 mapped(uvec4 words) { return uvec4(f(words.xy), f(words.zw)); }
#else
uint mapped(uint word) {
#define MAPPED(lane) f(decode(word, lane))
  return pack(EACH_LANE(MAPPED));
}
uvec4 mapped(uvec4 words) {
  return uvec4(mapped(words.x), mapped(words.y), mapped(words.z), mapped(words.w));
}
#endif

void main() {
  const uint first = global_word();
  if (first >= step) return;
  for (uint i = first; i < vectors; i += step) y.v[i] = mapped(VECTOR(x, i));
}
