// The largest element over the middle of (outer, length, inner), or its index: the first of equals.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/vec4_access.glsl"

const uint VALUE = 0u, INT32 = 1u, INT64 = 2u;
layout(constant_id = 3) const uint RESULT = INT32;

layout(push_constant) uniform Push { uint count, length, inner; };

READS_AS(0, x, ELEM);
WRITES(1, y);

uint bits(float v) { return floatBitsToUint(v); }
uint bits(int v) { return uint(v); }

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint outer = index / inner;
  uint at = outer * length * inner + index - outer * inner;
  ELEM max_value = x.v[at];
  uint place = 0u;
  for (uint k = 1u; k < length; ++k) {
    at += inner;
    const ELEM v = x.v[at];
    if (v > max_value) {
      max_value = v;
      place = k;
    }
  }
  if (RESULT == INT64) {
    y.w[2u * index] = place;
    y.w[2u * index + 1u] = 0u;
  } else {
    y.w[index] = RESULT == VALUE ? bits(max_value) : place;
  }
}
