// fp16 GEMMs by cooperative matrices with float sums. Rows and columns are multiples of 16 bytes. y, bias and
// residual are declared as floats; fp16_storage.h rewrites them to fp16.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gemm/cooperative_matrix_tile.glsl"

layout(push_constant) uniform Push {
  uint rows, columns, inner;
  uint matrices, batch;                     // batch: matrices in the inner of two dimensions
  uint a_outer, a_inner, b_outer, b_inner;  // matrix strides, in vectors
  uint part;                                // split-K of a single matrix: K elements per split; 0: all
  uint y_first, y_row;
  uint has_bias;
  EPILOGUE_PUSH
};

uint a_from, b_from, y_from, first_row, first_column;

void begin_steps(uint k) {}
void next_steps() {}

uvec4 left_vector(uint nth, uint row, uint k, out bool exists) {
  exists = k < inner;
  return a.v[a_from + (min(first_row + row, rows - 1u) * inner + min(k, inner - FP16S)) / FP16S];
}

uvec4 column_vector(uint column, uint k, out bool exists) {
  exists = k < inner;
  return b.v[b_from + (min(first_column + column, columns - 1u) * inner + min(k, inner - FP16S)) / FP16S];
}

uvec4 row_vector(uint column, uint k, out bool exists) {
  exists = k < inner;
  return b.v[b_from + (min(k, inner - 1u) * columns + min(first_column + column, columns - FP16S)) / FP16S];
}

vec4 bias_at(uint column) { return bias_of(min(first_column + column, columns - 4u), has_bias != 0u); }

void store_vec4(vec4 sum, uint row, uint column) {
  if (first_row + row >= rows || first_column + column >= columns) return;
  const uint at = (y_from + (first_row + row) * y_row + first_column + column) / 4u;
  y.v[at] = apply_epilogue(sum + own_bias, at, (first_column + column) / 4u, EPILOGUE_ARGS);
}

// Workgroups are ordered by rows, then by columns.
void main() {
  const uint tiles = (rows + TILE - 1u) / TILE;
  first_row = gl_WorkGroupID.x % tiles * TILE;
  first_column = gl_WorkGroupID.x / tiles * TILE;
  // A single loop for both cases: lavapipe mishandles barriers in branches.
  const bool is_cut = part != 0u;
  for (uint nth = gl_WorkGroupID.z; nth < (is_cut ? gl_NumWorkGroups.z : matrices);
       nth += gl_NumWorkGroups.z) {
    const uint matrix = is_cut ? 0u : nth;
    const uint outer = matrix / batch, inner_nth = matrix % batch;
    a_from = outer * a_outer + inner_nth * a_inner;
    b_from = outer * b_outer + inner_nth * b_inner;
    y_from = y_first + nth * rows * columns;
    const uint first = part * nth;
    multiply_tile(is_cut ? first : 0u, is_cut ? min(first + part, inner) : inner);
  }
}
