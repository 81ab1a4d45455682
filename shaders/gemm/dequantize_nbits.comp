// Dequantizes 4- or 8-bit weights into the packed layout of matmul's second operand (pack_weights.comp):
// [columns / 16][inner][4] of four columns, with missing columns 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/vec4_access.glsl"

layout(constant_id = 3) const uint BITS = 4u;

layout(push_constant) uniform Push {
  uint columns, inner, row_bytes, block, blocks;
  uint count;  // vec4 written
};

READS(0, weight);
READS_AS(1, scales, float);
READS(2, zero_points);
WRITES_AS(3, y, vec4);

#include "gemm/nbits_weights.glsl"

float value_at(uint column, uint k) {
  if (column >= columns) return 0.0;
  const uint at = column * blocks + k / block;
  return scales.v[at] * float(stored_at(column, k) - zero_point_of(at));
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint kWide = 4u;
  const uint line = index / kWide;
  const uint tile = line / inner;
  const uint k = line - tile * inner;
  const uint column = (tile * kWide + index % kWide) * 4u;
  y.v[index] =
      vec4(value_at(column, k), value_at(column + 1u, k), value_at(column + 2u, k), value_at(column + 3u, k));
}
