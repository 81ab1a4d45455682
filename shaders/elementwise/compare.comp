// The six comparisons, with broadcasting; four BOOL results are one word.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/float64_bits.glsl"
#include "base/float_math.glsl"
#include "base/int64_pairs.glsl"
#include "elementwise/broadcast_operands.glsl"
#include "elementwise/operator_numbers.glsl"

#ifndef WIDE
bool is_below(ELEM a, ELEM b) { return a < b; }
#endif

bool f(ELEM u, ELEM v) {
#if defined(F32) || defined(F16) || defined(F64)
  if (is_nan(u) || is_nan(v)) return OP == OP_NOT_EQUAL;
#endif
#ifdef F64
  u = order_of(u);
  v = order_of(v);
#endif
  switch (OP) {
    case OP_LESS_EQUAL: return !is_below(v, u);
    case OP_LESS: return is_below(u, v);
    case OP_EQUAL: return u == v;
    case OP_GREATER: return is_below(v, u);
    case OP_NOT_EQUAL: return u != v;
    case OP_GREATER_EQUAL: return !is_below(u, v);
  }
  return false;
}

bool element(uint i) {
  const uvec2 place = places(min(i, count - 1u));
  return f(load_x(place.x), load_y(place.y));
}

bvec4 elements(uint i) {
  return bvec4(element(i * 4u), element(i * 4u + 1u), element(i * 4u + 2u), element(i * 4u + 3u));
}

#ifndef WIDE
// For dtypes whose elements are words.
bvec4 vector(uint i) {
  const uvec2 place = places(i);
  uvec4 u, v;
  if (X_FORM == VECTORS)
    u = x.v[place.x];
  else
    u = uvec4(REPLICATE(x, place.x));
  if (Y_FORM == VECTORS)
    v = y.v[place.y];
  else
    v = uvec4(REPLICATE(y, place.y));
#define COMPARED(k) f(decode_x(u[k], 0u), decode_y(v[k], 0u))
  return bvec4(COMPARED(0), COMPARED(1), COMPARED(2), COMPARED(3));
}
#else
bvec4 vector(uint i) { return elements(i); }
#endif

void main() {
  const uint i = global_word();
  if (i * 4u >= count) return;
  if (X_FORM == ELEMENTS)
    WORD(z, i) = pack_bools(elements(i));
  else
    WORD(z, i) = pack_bools(vector(i));
}
