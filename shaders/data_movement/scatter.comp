// For each slice of a tensor, finds the last row of indices that selects it. Slices start as -1; rows with
// invalid indices are skipped.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/index_rows.glsl"

layout(push_constant) uniform Push {
  uint rows;
  int step;  // 0 if all rows use update 0
  uint width;
  int dims[8];
};

layout(std430, set = 0, binding = 1) buffer winners_block { int w[]; }
winners;

void main() {
  const uint row = global_word();
  if (row >= rows) return;
  SLICE_OF_ROW(row, width, dims, place)
  if (place >= 0) atomicMax(winners.w[place], int(row) * step);
}
