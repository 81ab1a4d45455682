// ROTARY_EMBEDDING: an invocation rotates a PACK of pairs by their angles, or copies a PACK of elements that
// are not rotated.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/vec4_access.glsl"

layout(constant_id = 3) const bool INTERLEAVED = false;  // the elements of a pair are adjacent
layout(constant_id = 4) const uint RANK = 1;

layout(push_constant) uniform Push {  // in PACKs
  uint count;                         // pairs and unrotated elements
  uint length, pairs;                 // elements and pairs per row
  uint dims[8];                       // of the rows
  int strides[8];                     // of the angles
};

READS_PACKS(0, x);
READS_PACKS(1, cosines);
READS_PACKS(2, sines);
WRITES_AS(3, y, PACK);

uint angles_of(uint row) {
  int place = 0;
  [[unroll]] for (int d = int(RANK) - 1; d > 0; --d) {
    const uint rest = row / dims[d];
    place += int(row - rest * dims[d]) * strides[d];
    row = rest;
  }
  return uint(place + int(row) * strides[0]);
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint work = length - pairs;  // invocations per row
  const uint row = index / work;
  const uint i = index - row * work;
  const uint from = row * length;
  if (i >= pairs) {
    y.v[from + pairs + i] = PACK_OF(x, from + pairs + i);
    return;
  }
  const uint first = from + (INTERLEAVED ? 2u * i : i);
  const uint second = INTERLEAVED ? first + 1u : first + pairs;
  PACK a = PACK_OF(x, first), b = PACK_OF(x, second);
#ifdef VEC4
  if (INTERLEAVED) {
    const vec4 both = a;
    a = vec4(both.xz, b.xz);
    b = vec4(both.yw, b.yw);
  }
#endif
  const uint angle = angles_of(row) + i;
  const PACK c = PACK_OF(cosines, angle), s = PACK_OF(sines, angle);
  PACK p = a * c - b * s, q = b * c + a * s;
#ifdef VEC4
  if (INTERLEAVED) {
    const vec4 both = p;
    p = vec4(both.x, q.x, both.y, q.y);
    q = vec4(both.z, q.z, both.w, q.w);
  }
#endif
  y.v[first] = p;
  y.v[second] = q;
}
