// ROI_ALIGN in NHWC; an invocation computes a PACK of one bin. Coordinate arithmetic must match
// roi_align_kernel.cpp step by step.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/exact_quotient.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const bool MAXIMUM = false;
layout(constant_id = 4) const bool HALF_PIXEL = true;
layout(constant_id = 5) const uint INDEX_WORDS = 1;

layout(push_constant) uniform Push {
  uint count;  // PACKs of the output
  uint parts;  // PACKs per cell
  uint batch;
  uint in_size[2], out_size[2];
  int ratio[2];  // sampling points per side of a bin; 0: derived from the region's size
  float scale[2], stride[2];
};

READS_AS(0, x, PACK);
READS_AS(1, regions, float);
READS(2, batch_indices);
WRITES_AS(3, y, PACK);

struct Side {
  float start, bin;
  int points;
};

struct Tap {
  bool inside;
  uint low, high;
  float t;
};

Side side(float from, float to, uint axis) {
  const float offset = HALF_PIXEL ? 0.5 : 0.0;
  precise const float scaled_from = from * scale[axis];
  precise const float scaled_to = to * scale[axis];
  precise const float start = exact_quotient(scaled_from, stride[axis]) - offset;
  precise const float end = exact_quotient(scaled_to, stride[axis]) - offset;
  precise float size = end - start;
  if (!HALF_PIXEL && !(size > 1.0)) size = 1.0;
  const float bin = exact_quotient(size, float(out_size[axis]));
  if (ratio[axis] > 0) return Side(start, bin, ratio[axis]);
  // A region much larger than the input has few points inside it.
  const float limit = float(2u * in_size[axis] + 2u), wanted = ceil(bin);
  return Side(start, bin, int(wanted > 1.0 ? (wanted < limit ? wanted : limit) : 1.0));
}

Tap tap_of(Side by, uint bin, int point, uint axis) {
  precise const float whole = float(bin) * by.bin;
  precise const float first = by.start + whole;
  precise const float inner = (float(point) + 0.5) * by.bin;
  const float part = exact_quotient(inner, float(by.points));
  precise float at = first + part;
  const uint last = in_size[axis] - 1u;
  if (!(at >= -1.0 && at <= float(in_size[axis]))) return Tap(false, 0u, 0u, 0.0);
  at = at > 0.0 ? at : 0.0;
  const uint low = min(uint(at), last);
  return Tap(true, low, min(low + 1u, last), low == last ? 0.0 : at - float(low));
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint cell = index / parts, part = index - cell * parts;
  const uint row = cell / out_size[1], bin_x = cell - row * out_size[1];
  const uint region = row / out_size[0], bin_y = row - region * out_size[0];
  const uint image = batch_indices.w[region * INDEX_WORDS];
  const bool is_wide = INDEX_WORDS == 2u && batch_indices.w[region * INDEX_WORDS + INDEX_WORDS - 1u] != 0u;
  if (image >= batch || is_wide) {  // R20
    y.v[index] = PACK(0.0);
    return;
  }
  const Side rows = side(regions.v[region * 4u + 1u], regions.v[region * 4u + 3u], 0u);
  const Side columns = side(regions.v[region * 4u], regions.v[region * 4u + 2u], 1u);
  PACK result = PACK(0.0);
  for (int v = 0; v < rows.points; ++v) {
    const Tap r = tap_of(rows, bin_y, v, 0u);
    for (int u = 0; u < columns.points; ++u) {
      const Tap c = tap_of(columns, bin_x, u, 1u);
      const uint upper = (image * in_size[0] + r.low) * in_size[1];
      const uint lower = (image * in_size[0] + r.high) * in_size[1];
      const PACK top =
          (1.0 - c.t) * x.v[(upper + c.low) * parts + part] + c.t * x.v[(upper + c.high) * parts + part];
      const PACK bottom =
          (1.0 - c.t) * x.v[(lower + c.low) * parts + part] + c.t * x.v[(lower + c.high) * parts + part];
      const PACK value = where(r.inside && c.inside, (1.0 - r.t) * top + r.t * bottom);
      if (MAXIMUM) {
        result = u + v == 0 ? value : larger(result, value);
      } else {
        result += value;
      }
    }
  }
  y.v[index] = MAXIMUM ? result : result / (float(rows.points) * float(columns.points));
}
