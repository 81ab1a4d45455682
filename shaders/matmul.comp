// y = activation(a x b + bias) for each matrix of a batch. b is either packed, [columns / 4][inner] of four
// columns, or as it is, [inner][columns / 4]: the strides say which.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "tile.glsl"

layout(push_constant) uniform Push {
  uint rows, columns, inner;
  uint a_row, a_step;    // strides of a, in PARTs
  uint b_block, b_step;  // strides of b, in fours
  uint matrices, batch;  // batch: how many of them lie in the inner of two dimensions
  uint a_outer, a_inner, b_outer, b_inner;
  uint a_offset, b_offset, y_offset;
};

#define FIRST(i) const uint a##i = a_from + min(row + i, rows - 1u) * a_row;
#define ADD(i) ACCUMULATE(i, a.v[a##i + k * a_step])

void multiply(uint matrix, uint row, uint column) {
  const uint outer = matrix / batch;
  const uint nth = matrix - outer * batch;
  const uint a_from = a_offset + outer * a_outer + nth * a_inner;
  const uint b_from = b_offset + outer * b_outer + nth * b_inner;
  const uint y_from = y_offset + matrix * rows * columns;

  uint p_at = b_from + column / 4u * b_block;
  uint q_at = column + 4u < columns ? p_at + b_block : p_at;
  EACH_ROW(FIRST)
  EACH_ROW(ACCUMULATORS)
  for (uint k = 0u; k < inner / WIDTH; ++k) {
    LOAD_COLUMNS(p_at, q_at, b_step)
    EACH_ROW(ADD)
    p_at += WIDTH * b_step;
    q_at += WIDTH * b_step;
  }
  const vec4 tile[] = TILE;
  for (uint i = 0u; i < 2u * ROWS; ++i) {
    const uint r = row + i / 2u;
    const uint c = column + i % 2u * 4u;
    if (r < rows && c < columns) store(tile[i], c, columns, y_from + r * columns + c, c);
  }
}

void main() {
  const uint row = gl_GlobalInvocationID.x * ROWS;
  const uint column = gl_GlobalInvocationID.y * COLUMNS;
  if (row >= rows || column >= columns) return;
  for (uint matrix = gl_WorkGroupID.z; matrix < matrices; matrix += gl_NumWorkGroups.z) {
    multiply(matrix, row, column);
  }
}
