// y = activation(a x b + bias) for a batch of matrices. b is packed as [columns / 16][inner] of sixteen
// columns, or unpacked as [inner][columns / 4] of four; the strides say which. A dispatch computes `rows`
// rows and `blocks` blocks of sixteen columns of each matrix.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gemm/gemm_tile.glsl"

layout(push_constant) uniform Push {
  uint rows, columns, inner;  // columns: of y
  uint a_row, a_step;         // in PACKs
  uint b_block, b_step;       // in vec4
  uint matrices, batch;       // batch: matrices in the inner of two dimensions
  uint a_outer, a_inner, b_outer, b_inner, y_matrix;
  uint a_offset, b_offset, y_offset;
  uint first_block, blocks;
  uint y_row;  // row stride of y
  uint has_bias;
  EPILOGUE_PUSH
};

#define FIRST(i) const uint a##i = a_from + min(row + ROW_READ(i), rows - 1u) * a_row;
#define FETCH(i) const LEFT e##i = FACTOR_OF(A(a##i + k * a_step));

void multiply(uint matrix, uint row, uint block) {
  const uint outer = matrix / batch;
  const uint nth = matrix - outer * batch;
  const uint a_from = a_offset + outer * a_outer + nth * a_inner;
  const uint y_from = y_offset + matrix * y_matrix;

  uint at = b_offset + outer * b_outer + nth * b_inner + (block + OWN_BLOCK) * b_block;
  EACH_READ(FIRST)
  const uint column = (first_block + block) * COLUMNS;
  SUMS(column, columns - 1u, has_bias != 0u)
  for (uint k = 0u; k < inner / WIDTH; ++k) {
    ADD_COLUMNS(at, b_step)
    at += WIDTH * b_step;
    AFTER_PACK(k)
  }
  AFTER_PACKS
  const vec4 tile[] = TILE;
  FOR_RESULTS(i) {
    const uint r = row + RESULT_ROW(i);
    const uint c = column + RESULT_COLUMN(i);
    if (r < rows && c < columns) store(tile[i], 0u, c, columns, y_from + r * y_row + c, EPILOGUE_ARGS);
  }
}

// Tiles are ordered by rows, then by columns.
void main() {
  const uint tiles = (rows + ROWS - 1u) / ROWS;
  const uint tile = gl_GlobalInvocationID.x / INVOCATIONS;
  const uint across = tile / tiles;
  const uint block = across * BLOCKS;
  const uint row = (tile - across * tiles) * ROWS;
  if (block >= blocks) return;
  for (uint matrix = gl_WorkGroupID.z; matrix < matrices; matrix += gl_NumWorkGroups.z) {
    multiply(matrix, row, block);
  }
}
