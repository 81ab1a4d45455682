// The maximum over the middle of (outer, length, inner), or the index of its first occurrence. One invocation
// per row; in variants GROUP and SUBGROUPS one workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/row_group.glsl"
#include "base/vec4_access.glsl"

const uint VALUE = 0u, INT32 = 1u, INT64 = 2u;
layout(constant_id = 3) const uint RESULT = INT32;
#ifdef GROUP
layout(constant_id = 4) const uint ACROSS = 1;
#endif

layout(push_constant) uniform Push { uint count, length, inner; };

READS_AS(0, x, ELEM);
WRITES(1, y);

uint bits(float v) { return floatBitsToUint(v); }
uint bits(int v) { return uint(v); }

const int kLowest = int(0x80000000u);

// An integer with the order of the values; NaN is below everything, as on the CPU device.
#ifdef F32
int key_of(float v) {
  const int magnitude = floatBitsToInt(v) & 0x7fffffff;
  if (magnitude > 0x7f800000) return kLowest;
  return floatBitsToInt(v) < 0 ? -magnitude : magnitude;
}
#else
int key_of(int v) { return v; }
#endif

#ifdef GROUP
ROW_REDUCTION(largest_of_row, int, max, subgroupMax)
ROW_REDUCTION(first_of_row, uint, min, subgroupMin)

uint place_of_largest(uint first) {
  int key = kLowest;
  uint place = 0xffffffffu;
  FOR_EACH_LOAD(k, OWN_LANE, length, ELEM, v, x.v[first + k * inner], {
    const int other = key_of(v);
    if (other > key || place == 0xffffffffu) {
      key = other;
      place = k;
    }
  })
  return first_of_row(key == largest_of_row(key) ? place : 0xffffffffu);
}
#else
uint place_of_largest(uint first) {
  uint at = first;
  int key = key_of(x.v[at]);
  uint place = 0u;
  for (uint k = 1u; k < length; ++k) {
    at += inner;
    const int other = key_of(x.v[at]);
    if (other > key) {
      key = other;
      place = k;
    }
  }
  return place;
}
#endif

void main() {
  const uint index = OWN_ROW(count);
  if (index >= count) return;
  const uint outer = index / inner;
  const uint first = outer * length * inner + index - outer * inner;
  const uint place = place_of_largest(first);
  if (OWN_LANE != 0u) return;
  if (RESULT == INT64) {
    y.w[2u * index] = place;
    y.w[2u * index + 1u] = 0u;
  } else {
    y.w[index] = RESULT == VALUE ? bits(x.v[first + place * inner]) : place;
  }
}
