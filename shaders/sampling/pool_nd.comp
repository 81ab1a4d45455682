// AVG_POOL_ND and MAX_POOL_ND on [outer, depth, height, width, inner]; an invocation computes a PACK of one
// output cell. Cells outside of the input are neither summed nor compared.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/vec4_access.glsl"

layout(constant_id = 3) const bool MAXIMUM = false;
layout(constant_id = 4) const bool COUNTS_PADDING = false;

layout(push_constant) uniform Push {
  uint count;  // PACKs of the output
  uint parts;  // PACKs per cell
  uint out_size[3], in_size[3], kernel[3], stride[3], dilation[3];
  int before[3], after[3];
};

READS_AS(0, x, PACK);
WRITES_AS(1, y, PACK);

struct Taps {
  int origin, begin, end, padded;
};

// Returns the number of taps before a cell.
int taps_before(int cell, int origin, uint axis) {
  if (cell <= origin) return 0;
  return min((cell - origin - 1) / int(dilation[axis]) + 1, int(kernel[axis]));
}

Taps taps_of(uint axis, uint at) {
  const int origin = int(at * stride[axis]) - before[axis], size = int(in_size[axis]);
  return Taps(origin, taps_before(0, origin, axis), taps_before(size, origin, axis),
              taps_before(size + after[axis], origin, axis));
}

float counted(Taps taps) { return float(COUNTS_PADDING ? taps.padded : taps.end - taps.begin); }

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint cell = index / parts, part = index - cell * parts;
  const uint row = cell / out_size[2];
  const uint plane = row / out_size[1];
  const uint image = plane / out_size[0];
  const Taps d = taps_of(0u, plane - image * out_size[0]);
  const Taps h = taps_of(1u, row - plane * out_size[1]);
  const Taps w = taps_of(2u, cell - row * out_size[2]);

  PACK result = PACK(MAXIMUM ? uintBitsToFloat(0xff800000u) : 0.0);
  for (int u = d.begin; u < d.end; ++u) {
    const uint in_plane = image * in_size[0] + uint(d.origin + u * int(dilation[0]));
    for (int v = h.begin; v < h.end; ++v) {
      const uint in_row = in_plane * in_size[1] + uint(h.origin + v * int(dilation[1]));
      for (int t = w.begin; t < w.end; ++t) {
        const uint at = in_row * in_size[2] + uint(w.origin + t * int(dilation[2]));
        const PACK value = x.v[at * parts + part];
        result = MAXIMUM ? larger(result, value) : result + value;
      }
    }
  }
  const float divisor = counted(d) * counted(h) * counted(w);
  if (!MAXIMUM && divisor > 0.0) result /= divisor;
  y.v[index] = result;
}
