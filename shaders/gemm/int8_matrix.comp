// INT8 GEMMs and convolutions (R12) with exact sums, by cooperative matrices. Rows of a tile are output
// pixels (rows of a GEMM), columns are those of one group. In both operands the inner dimension is contiguous
// and fills whole 16-byte vectors. The input is padded with its zero point.
#version 450
#extension GL_GOOGLE_include_directive : require
#define INT8
#include "gemm/cooperative_matrix_tile.glsl"
#include "gemm/int8_result.glsl"

layout(constant_id = 3) const bool TAPS = false;  // else each output pixel reads one input pixel

layout(push_constant) uniform Push {
  uint pixels;  // output pixels, or rows
  uint out_height, out_width, in_height, in_width;
  uint pixel_vectors, group_vectors;  // vectors per pixel of a, and per group
  uint columns, groups;               // columns per group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  uint matrices, a_matrix, b_matrix;  // matrix strides, in vectors
  uint part;                          // split-K of a single matrix: K elements per split; 0: all
  int left_zero;                      // zero point of a
  REQUANTIZE_PUSH
};
#include "conv/tap_walk.glsl"

WRITES(4, y);  // results, or partial sums

uint a_from, b_from, y_from, first_pixel, group, first_column, inner;
ivec3 corners[EACH];
uint is_padding;  // a bit per left vector
uvec3 position, slice_step;

void begin_steps(uint k) {
  position = position_of(k / PER_VECTOR, group_vectors);
  slice_step = position_of(VECTORS, group_vectors);
}
void next_steps() { position = moved(position, slice_step, group_vectors); }

uvec4 missing_vector(uint nth) {
  return has_bit(is_padding, nth) ? uvec4(uint(left_zero & 0xff) * 0x01010101u) : uvec4(0u);
}

uvec4 left_vector(uint nth, uint row, uint k, out bool exists) {
  const uint vector = min(k, inner - PER_VECTOR) / PER_VECTOR;
  uint at = min(first_pixel + row, pixels - 1u) * pixel_vectors + group * group_vectors + vector;
  exists = k < inner;
  if (nth == 0u) is_padding = 0u;
  if (TAPS) {
    const uint pixel = find(corners[nth], position);
    is_padding |= uint(exists && pixel == kNone) << nth;
    exists = exists && pixel != kNone;
    at = pixel == kNone ? 0u : pixel * pixel_vectors + group * group_vectors + position.z;
  }
  return a.v[a_from + at];
}

uvec4 column_vector(uint column, uint k, out bool exists) {
  exists = k < inner;
  const uint line = group * columns + min(first_column + column, columns - 1u);
  return b.v[b_from + (line * inner + min(k, inner - PER_VECTOR)) / PER_VECTOR];
}

void store_vec4(ivec4 sum, uint row, uint column) {
  if (first_pixel + row >= pixels || first_column + column >= columns) return;
  const uint channel = group * columns + first_column + column;
  if (SUMS_ROWS) {
    const int of_row = sum_of_row(row);
    for (uint i = 0u; i < 4u; ++i) sum[i] -= int(parameters.v[channel + i].y) * of_row;
  }
  if (SUMS_COLUMNS) sum -= left_zero * sums_of_columns(column);
  const uint at = y_from + ((first_pixel + row) * columns * groups + channel) / 4u;
  if (part == 0u) {
    STORE_RESULTS(sum, channel, at);
  } else {
    for (uint i = 0u; i < 4u; ++i) y.w[4u * at + i] = uint(sum[i]);
  }
}

// Workgroups are ordered by pixels, then by columns, then by groups.
void main() {
  const uint tiles = (pixels + TILE - 1u) / TILE;
  const uint nth_column = gl_WorkGroupID.x / tiles;
  const uint group_tiles = (columns + TILE - 1u) / TILE;
  group = nth_column / group_tiles;
  first_pixel = gl_WorkGroupID.x % tiles * TILE;
  first_column = nth_column % group_tiles * TILE;
  inner = kernel_height * kernel_width * group_vectors * PER_VECTOR;
  if (TAPS) {
    UNROLL for (uint i = 0u; i < EACH; ++i) {
      const uint row = (gl_LocalInvocationID.x + i * GROUP) / VECTORS;
      corners[i] = corner(min(first_pixel + row, pixels - 1u));
    }
  }
  // A single loop for both cases: lavapipe mishandles barriers in branches.
  const bool is_cut = part != 0u;
  for (uint nth = gl_WorkGroupID.z; nth < (is_cut ? gl_NumWorkGroups.z : matrices);
       nth += gl_NumWorkGroups.z) {
    const uint matrix = is_cut ? 0u : nth;
    a_from = matrix * a_matrix;
    b_from = matrix * b_matrix;
    y_from = nth * (pixels * columns * groups / 4u);
    const uint first = part * nth;
    multiply_tile(is_cut ? first : 0u, is_cut ? min(first + part, inner) : inner);
  }
}
