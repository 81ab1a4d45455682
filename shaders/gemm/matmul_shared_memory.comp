// matmul.comp for GPUs: a workgroup computes a tile through shared memory. Same operands and push constants.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gemm/shared_memory_tile.glsl"

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

uint a_from, b_from, first_row, block;
uint rows_from[MAX_LEFTS];

void begin_steps(uint k) {}
void next_steps() {}
void begin_row(uint nth, uint row) { rows_from[nth] = a_from + min(first_row + row, rows - 1u) * a_row; }

vec4 left_vec4(uint nth, uint k, out bvec4 exists) {
#ifdef VEC4
  exists = bvec4(k < inner);
  return A(rows_from[nth] + min(k, inner - 1u) / 4u * a_step);
#else
  const uvec4 steps = uvec4(k, k + 1u, k + 2u, k + 3u);
  exists = lessThan(steps, uvec4(inner));
  const uvec4 each = min(steps, uvec4(inner - 1u)) * a_step + rows_from[nth];
  return vec4(A(each.x), A(each.y), A(each.z), A(each.w));
#endif
}

vec4 right_vec4(uint k, uint four, out bool exists) {
  exists = k < inner;
  const uint nth = min(block + four / VEC4S, blocks - 1u);
  return B(b_from + nth * b_block + min(k, inner - 1u) * b_step + four % VEC4S);
}

void multiply(uint matrix) {
  const uint outer = matrix / batch;
  const uint nth = matrix - outer * batch;
  a_from = a_offset + outer * a_outer + nth * a_inner;
  b_from = b_offset + outer * b_outer + nth * b_inner;
  const uint y_from = y_offset + matrix * y_matrix;
  multiply_tile(0u, inner);
  [[unroll]] for (uint j = 0u; j < COLUMN_VEC4S; ++j) {
    const uint column = (first_block + block) * COLUMNS + vec4_of(j) * 4u;
    if (column >= columns || block + vec4_of(j) / VEC4S >= blocks) continue;
    const vec4 start = bias_vec4(column, columns - 1u, has_bias != 0u);
    [[unroll]] for (uint i = 0u; i < 4u * ROW_VEC4S; ++i) {
      const uint r = first_row + row_of(i);
      if (r < rows)
        store(sums[i * MAX_VEC4S + j] + start, 0u, column, columns, y_from + r * y_row + column,
              EPILOGUE_ARGS);
    }
  }
}

// Workgroups are ordered by rows, then by columns.
void main() {
  const uint tiles = (rows + TILE_ROWS - 1u) / TILE_ROWS;
  const uint nth = gl_WorkGroupID.x / tiles;
  first_row = (gl_WorkGroupID.x - nth * tiles) * TILE_ROWS;
  block = nth * (TILE_VEC4S / VEC4S);
  for (uint matrix = gl_WorkGroupID.z; matrix < matrices; matrix += gl_NumWorkGroups.z) multiply(matrix);
}
