// LAYER_NORM, INSTANCE_NORM and L2_NORMALIZE over the middle of (outer, length, inner), a row an invocation.
// Variant VEC4 takes four neighbours in inner, variant ROW four along the length. Sums run in blocks, and the
// mean and the variance are computed from distances: rows may lie far from 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"

const uint L2 = 0u, ALONG_LENGTH = 1u, ALONG_INNER = 2u, ALONG_OUTER = 3u;
layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const uint SCALE = L2;  // none, or along which dimension scale and shift lie
// How scale and shift come in PARTs of four: as neighbours, or one element for all four.
const uint SPLAT = 2u;
layout(constant_id = 5) const uint FORM = 0;

layout(push_constant) uniform Push {
  uint rows;
  uint length, inner;  // in PARTs, along what they are taken
  uint channels;       // ALONG_OUTER: after so many of outer scale begins anew
  float elements;      // of a row
  float epsilon;
};

READS_PACKS(0, x);
READS_PACKS(1, scale);
READS_PACKS(2, shift);
WRITES_AS(3, y, PACK);

// The sum of x - centre or of its squares.
PACK sum_of(uint first, PACK centre, bool squares) {
  PACK total = PACK(0.0);
  uint at = first;
  for (uint k = 0u; k < length;) {
    PACK block = PACK(0.0);
    for (const uint stop = min(k + 32u, length); k < stop; ++k, at += inner) {
      const PACK v = PACK_OF(x, at) - centre;
      block += squares ? v * v : v;
    }
    total += block;
  }
#ifdef ROW
  total = PACK((total.x + total.y) + (total.z + total.w));
#endif
  return total;
}

#ifdef VEC4
#define PARAMETER(name, i) (FORM == SPLAT ? vec4(PACK_OF(name, (i) >> 2)[(i)&3u]) : PACK_OF(name, i))
#else
#define PARAMETER(name, i) PACK_OF(name, i)
#endif

PACK some_element(uint first) {
#ifdef ROW
  return PACK(PACK_OF(x, first).x);
#else
  return PACK_OF(x, first);
#endif
}

void main() {
  const uint row = global_word();
  if (row >= rows) return;
  const uint outer = row / inner;
  const uint first = outer * length * inner + row - outer * inner;

  PACK mean = PACK(0.0);
  PACK norm;
  if (SCALE == L2) {
    norm = sqrt(larger(sum_of(first, mean, true), PACK(epsilon)));
  } else {
    mean = some_element(first);
    mean += sum_of(first, mean, false) / elements;
    norm = sqrt(sum_of(first, mean, true) / elements + epsilon);
  }
  const uint channel = SCALE == ALONG_INNER ? row - outer * inner : outer % channels;
  for (uint k = 0u; k < length; ++k) {
    const uint at = first + k * inner;
    PACK v = (PACK_OF(x, at) - mean) / norm;
    if (SCALE != L2) {
      const uint place = SCALE == ALONG_LENGTH ? k : channel;
      v = v * PARAMETER(scale, place) + PARAMETER(shift, place);
    }
    y.v[at] = activate(v, ACTIVATION);
  }
}
