// LAYER_NORM, INSTANCE_NORM, GROUP_NORM, RMS_NORM and L2_NORMALIZE over the middle of (outer, length, inner).
// One invocation per row; in variants GROUP and SUBGROUPS, for few long rows, one workgroup. Variant VEC4
// loads four neighbours along inner, variant ROW four along length. Sums are blocked, and mean and variance
// are computed from differences, because rows may be far from 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#include "base/row_group.glsl"
#include "base/vec4_access.glsl"

const uint L2 = 0u, ALONG_LENGTH = 1u, ALONG_INNER = 2u, ALONG_OUTER = 3u;
// GROUP_NORM: a row is a group of channels, stored as planes or within each pixel.
const uint ALONG_PLANES = 4u, ALONG_PIXELS = 5u;
layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const uint SCALE = L2;  // which dimension scale and shift follow, if any
// PACKs of scale and shift: adjacent elements, or one splat to all lanes.
const uint SPLAT = 2u;
layout(constant_id = 5) const uint FORM = 0;
layout(constant_id = 6) const bool CENTERED = true;  // else the mean is taken as 0, and there is no shift
#ifdef GROUP
layout(constant_id = 7) const uint ACROSS = 1;
#endif

layout(push_constant) uniform Push {
  uint rows;
  uint length, inner;  // in PACKs along their dimension
  uint channels;       // ALONG_OUTER and above: scale repeats after this many outer indices
  uint run;            // ALONG_PLANES: PACKs per plane; ALONG_PIXELS: PACKs per group in a pixel
  uint width;          // elements per group, in units of scale and shift
  float elements;      // per row
  float epsilon;
};

READS_PACKS(0, x);
READS_PACKS(1, scale);
READS_PACKS(2, shift);
WRITES_AS(3, y, PACK);

uint first_of(uint row) {
  const uint outer = row / inner;
  if (SCALE != ALONG_PIXELS) return outer * length * inner + row - outer * inner;
  const uint batch = row / channels;
  return batch * length * channels + (row - batch * channels) * run;
}

// The offset of element k from the row's first element.
uint offset_of(uint k) {
  if (SCALE != ALONG_PIXELS) return k * inner;
  const uint pixel = k / run;
  return pixel * run * channels + k - pixel * run;
}

#ifdef ROW
#define OF_ROW float
float total_of(vec4 v) { return (v.x + v.y) + (v.z + v.w); }
#else
#define OF_ROW PACK
PACK total_of(PACK v) { return v; }
#endif
#define PLUS(a, b) ((a) + (b))
ROW_REDUCTION(sum_of_row, OF_ROW, PLUS, subgroupAdd)

// The sum of (x - centre) * factor, or of its squares.
PACK sum_of(uint first, PACK centre, bool squares, float factor) {
  PACK total = PACK(0.0);
  for (uint from = OWN_LANE; from < length; from += 32u * ROW_LANES) {
    PACK block = PACK(0.0);
    const uint stop = min(from + 32u * ROW_LANES, length);
    FOR_EACH_LOAD(k, from, stop, PACK, element, PACK_OF(x, first + offset_of(k)), {
      const PACK v = (element - centre) * factor;
      block += squares ? v * v : v;
    })
    total += block;
  }
  return PACK(sum_of_row(total_of(total)));
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

// The index of scale and shift for an element of a row.
uint place_of(uint row, uint k) {
  const uint outer = row / inner;
  switch (SCALE) {
    case ALONG_LENGTH: return k;
    case ALONG_INNER: return row - outer * inner;
    case ALONG_PLANES: return outer % channels * width + k / run;
    case ALONG_PIXELS: return outer % channels * width + k % run;
  }
  return outer % channels;
}

// The norm of a row by its sum of squares, or by that of multiples if it is small.
const float SMALL = 1e-30, TIMES = 1.2676506e30;  // 2^100
float norm_of(float sum, float multiple) { return sum < SMALL ? sqrt(multiple) / TIMES : sqrt(sum); }
vec4 norm_of(vec4 sum, vec4 multiple) {
  return mix(sqrt(sum), sqrt(multiple) / TIMES, lessThan(sum, vec4(SMALL)));
}
// Rows of zeros stay as they are.
float without_zero(float norm) { return norm == 0.0 ? 1.0 : norm; }
vec4 without_zero(vec4 norm) { return mix(norm, vec4(1.0), equal(norm, vec4(0.0))); }

void main() {
  const uint row = OWN_ROW(rows);
  if (row >= rows) return;
  const uint first = first_of(row);
  PACK mean = PACK(0.0);
  PACK norm;
  if (SCALE == L2) {
    const PACK sum = sum_of(first, mean, true, 1.0);
    norm = sqrt(larger(sum, PACK(epsilon)));
    if (epsilon < SMALL) {
      const PACK exact = norm_of(sum, sum_of(first, mean, true, TIMES));
      norm = without_zero(larger(exact, PACK(sqrt(epsilon))));
    }
  } else {
    if (CENTERED) {
      mean = some_element(first);
      mean += sum_of(first, mean, false, 1.0) / elements;
    }
    norm = sqrt(sum_of(first, mean, true, 1.0) / elements + epsilon);
  }
  FOR_EACH_LOAD(k, OWN_LANE, length, PACK, element, PACK_OF(x, first + offset_of(k)), {
    PACK v = (element - mean) / norm;
    if (SCALE != L2) {
      const uint place = place_of(row, k);
      v *= PARAMETER(scale, place);
      if (CENTERED) v += PARAMETER(shift, place);
    }
    y.v[first + offset_of(k)] = activate(v, ACTIVATION);
  })
}
