// RESIZE along one dimension of [outer, size, inner]; an invocation computes a PACK of the output. The
// weights are computed on the host.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/vec4_access.glsl"

layout(push_constant) uniform Push {
  uint count;  // PACKs of the output
  uint parts;  // PACKs of `inner`
  uint in_size, out_size, taps;
};

READS_AS(0, x, PACK);
READS(1, table);  // per index of `size`: first tap, weights, addend
WRITES_AS(2, y, PACK);

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint row = index / parts, part = index - row * parts;
  const uint outer = row / out_size;
  const uint rule = (row - outer * out_size) * (taps + 2u);
  uint at = (outer * in_size + table.w[rule]) * parts + part;
  PACK result = PACK(uintBitsToFloat(table.w[rule + taps + 1u]));
  for (uint k = 1u; k <= taps; ++k, at += parts) {
    const float weight = uintBitsToFloat(table.w[rule + k]);
    if (weight != 0.0) result += weight * x.v[at];
  }
  y.v[index] = result;
}
