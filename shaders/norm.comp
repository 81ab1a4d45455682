// LAYER_NORM, INSTANCE_NORM and L2_NORMALIZE over the middle of (outer, length, inner), a row an invocation.
// Variant VEC4 takes four neighbours in inner, variant ROW four along the length. Sums run in blocks, and the
// mean and the variance are computed from distances: rows may lie far from 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "epilogue.glsl"
#include "parts.glsl"

const uint L2 = 0u, ALONG_LENGTH = 1u, ALONG_INNER = 2u, ALONG_OUTER = 3u;
layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const uint SCALE = L2;  // none, or along which dimension scale and shift lie

layout(push_constant) uniform Push {
  uint rows;
  uint length, inner;  // in PARTs, along what they are taken
  uint channels;       // ALONG_OUTER: after so many rows scale begins anew
  float elements;      // of a row
  float epsilon;
};

READS_PARTS(0, x);
READS_PARTS(1, scale);
READS_PARTS(2, shift);
WRITES_AS(3, y, PART);

// The sum of x - centre or of its squares.
PART sum_of(uint first, PART centre, bool squares) {
  PART total = PART(0.0);
  uint at = first;
  for (uint k = 0u; k < length;) {
    PART block = PART(0.0);
    for (const uint stop = min(k + 32u, length); k < stop; ++k, at += inner) {
      const PART v = PART_OF(x, at) - centre;
      block += squares ? v * v : v;
    }
    total += block;
  }
#ifdef ROW
  total = PART((total.x + total.y) + (total.z + total.w));
#endif
  return total;
}

PART some_element(uint first) {
#ifdef ROW
  return PART(PART_OF(x, first).x);
#else
  return PART_OF(x, first);
#endif
}

void main() {
  const uint row = global_word();
  if (row >= rows) return;
  const uint outer = row / inner;
  const uint first = outer * length * inner + row - outer * inner;

  PART mean = PART(0.0);
  PART norm;
  if (SCALE == L2) {
    norm = sqrt(larger(sum_of(first, mean, true), PART(epsilon)));
  } else {
    mean = some_element(first);
    mean += sum_of(first, mean, false) / elements;
    norm = sqrt(sum_of(first, mean, true) / elements + epsilon);
  }
  const uint channel = SCALE == ALONG_INNER ? row - outer * inner : outer % channels;
  for (uint k = 0u; k < length; ++k) {
    const uint at = first + k * inner;
    PART v = (PART_OF(x, at) - mean) / norm;
    if (SCALE != L2) {
      const uint place = SCALE == ALONG_LENGTH ? k : channel;
      v = v * PART_OF(scale, place) + PART_OF(shift, place);
    }
    y.v[at] = activate(v, ACTIVATION);
  }
}
