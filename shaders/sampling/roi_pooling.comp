// ROI_POOLING in NHWC; an invocation computes a PACK of one bin. Border arithmetic must match
// roi_pooling_kernel.cpp step by step.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/exact_quotient.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const uint INDEX_WORDS = 1;

layout(push_constant) uniform Push {
  uint count;  // PACKs of the output
  uint parts;  // PACKs per cell
  uint batch;
  uint in_size[2], out_size[2];
  float stride[2];
};

READS_AS(0, x, PACK);
READS_AS(1, regions, float);
READS(2, batch_indices);
WRITES_AS(3, y, PACK);

struct Cells {
  uint begin, end;
};

// Half away from zero.
float rounded_quotient(float a, float b) {
  const float quotient = exact_quotient(a, b);
  const float magnitude = abs(quotient), whole = floor(magnitude);
  return sign(quotient) * (magnitude - whole >= 0.5 ? whole + 1.0 : whole);
}

uint clamped(float border, uint length) {
  return border > 0.0 ? (border < float(length) ? uint(border) : length) : 0u;
}

Cells cells_of(float from, float to, uint bin, uint axis) {
  const float start = rounded_quotient(from, stride[axis]);
  precise const float distance = rounded_quotient(to, stride[axis]) - start;
  precise const float size = distance + 1.0;
  const float extent = size > 1.0 ? size : 1.0;
  const float step = exact_quotient(extent, float(out_size[axis]));
  precise const float first = step * float(bin), last = step * float(bin + 1u);
  precise const float begin = first + start, end = last + start;
  return Cells(clamped(floor(begin), in_size[axis]), clamped(ceil(end), in_size[axis]));
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint cell = index / parts, part = index - cell * parts;
  const uint row = cell / out_size[1], bin_x = cell - row * out_size[1];
  const uint region = row / out_size[0], bin_y = row - region * out_size[0];
  const uint image = batch_indices.w[region * INDEX_WORDS];
  const bool is_wide = INDEX_WORDS == 2u && batch_indices.w[region * INDEX_WORDS + INDEX_WORDS - 1u] != 0u;
  const Cells rows = cells_of(regions.v[region * 4u + 1u], regions.v[region * 4u + 3u], bin_y, 0u);
  const Cells columns = cells_of(regions.v[region * 4u], regions.v[region * 4u + 2u], bin_x, 1u);
  PACK result = PACK(0.0);
  if (image < batch && !is_wide) {  // R20
    for (uint v = rows.begin; v < rows.end; ++v) {
      for (uint u = columns.begin; u < columns.end; ++u) {
        const PACK value = x.v[((image * in_size[0] + v) * in_size[1] + u) * parts + part];
        result = v == rows.begin && u == columns.begin ? value : larger(result, value);
      }
    }
  }
  y.v[index] = result;
}
