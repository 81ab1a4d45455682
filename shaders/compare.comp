// The six comparisons, with broadcasting; four BOOL results are one word.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "binary.glsl"
#include "math.glsl"

const uint LESS_EQUAL = 18u, LESS = 61u, EQUAL = 70u, GREATER = 71u, NOT_EQUAL = 72u, GREATER_EQUAL = 73u;

bool f(ELEM u, ELEM v) {
#if defined(F32) || defined(F16)
  if (is_nan(u) || is_nan(v)) return OP == NOT_EQUAL;
#endif
  switch (OP) {
    case LESS_EQUAL: return u <= v;
    case LESS: return u < v;
    case EQUAL: return u == v;
    case GREATER: return u > v;
    case NOT_EQUAL: return u != v;
    case GREATER_EQUAL: return u >= v;
  }
  return false;
}

void main() {
  const uint word = global_word();
  if (word * 4u >= count) return;
  bvec4 e = bvec4(false);
  for (uint lane = 0u; lane < 4u; ++lane) {
    const uint i = word * 4u + lane;
    if (i >= count) continue;
    const ivec2 place = places(i);
    e[lane] = f(load_x(place.x), load_y(place.y));
  }
  z.w[word] = pack_bools(e);
}
