// Finds the row of indices that each slice of a tensor takes its update from: the last that means it. Slices
// are -1 beforehand; a row that means none is skipped.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/index_rows.glsl"

layout(push_constant) uniform Push {
  uint rows;
  int step;  // 0 where all rows take update 0
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
