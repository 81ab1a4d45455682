// INT8 GEMMs and convolutions (R12) like int8_dot.comp, for GPUs whose shared memory is no faster than their
// caches: an invocation computes 4 pixels (rows of a GEMM) x 4 columns in registers.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gemm/int8_product.glsl"

const uint ROWS = 4u, COLUMNS = 4u;

#include "conv/tap_walk.glsl"

// With VECTORS, of four words, otherwise of the first one.
int dot_of(uvec4 a, uvec4 b) {
  int sum = packed_dot(a.x, b.x);
  if (VECTORS) sum += packed_dot(a.y, b.y) + packed_dot(a.z, b.z) + packed_dot(a.w, b.w);
  return sum;
}

void main() {
  const uint row_vec4s = columns / COLUMNS, all_columns = row_vec4s * groups;
  const uint blocks = (pixels + ROWS - 1u) / ROWS;
  const uint work = global_word();
  if (work >= blocks * all_columns * matrices) return;
  const uint nth = work / all_columns, column_vec4 = work - nth * all_columns;
  const uint matrix = nth / blocks, first_pixel = (nth - matrix * blocks) * ROWS;
  const uint group = column_vec4 / row_vec4s, channel = column_vec4 * COLUMNS;

  const uint inner = kernel_height * kernel_width * group_words;
  const uint a_from = matrix * a_matrix + group * group_words;
  const uint b_from = matrix * b_matrix + channel * inner;
  const uint width = VECTORS ? 4u : 1u, parts = group_words / width;
  const uvec4 padding = uvec4(uint(left_zero & 0xff) * 0x01010101u), ones = uvec4(0x01010101u);
  ivec3 corners[ROWS];
  [[unroll]] for (uint i = 0u; i < ROWS; ++i) corners[i] = walked_corner(min(first_pixel + i, pixels - 1u));
  bool has_right_zeros = false;
  [[unroll]] for (uint j = 0u; j < COLUMNS; ++j) {
    has_right_zeros = has_right_zeros || parameters.v[channel + j].y != 0u;
  }

  ivec4 sums[ROWS], left_sums = ivec4(0), right_sums = ivec4(0);
  [[unroll]] for (uint i = 0u; i < ROWS; ++i) sums[i] = ivec4(0);
  uvec3 position = uvec3(0u);
  for (uint k = 0u; k < inner; k += width) {
    uvec4 right[COLUMNS];
    [[unroll]] for (uint j = 0u; j < COLUMNS; ++j) {
      const uint at = b_from + j * inner + k;
      right[j] = VECTORS ? b.v[at / 4u] : uvec4(WORD(b, at));
      if (left_zero != 0) right_sums[j] += dot_of(ones, right[j]);
    }
    [[unroll]] for (uint i = 0u; i < ROWS; ++i) {
      const uint pixel = find_at(corners[i], position);
      const uint at = a_from + (pixel == kNone ? 0u : pixel * pixel_words) + position.z * width;
      const uvec4 there = VECTORS ? a.v[at / 4u] : uvec4(WORD(a, at));
      const uvec4 left = pixel == kNone ? padding : there;
      [[unroll]] for (uint j = 0u; j < COLUMNS; ++j) sums[i][j] += dot_of(left, right[j]);
      if (has_right_zeros) left_sums[i] += dot_of(ones, left);
    }
    position = moved(position, uvec3(0u, 0u, 1u), parts);
  }
  const Columns all = columns_at(channel, inner, right_sums);
  [[unroll]] for (uint i = 0u; i < ROWS; ++i) {
    const uint pixel = first_pixel + i;
    if (pixel < pixels) {
      store(sums[i], left_sums[i], all, matrix * y_matrix + (pixel * columns * groups + channel) / 4u);
    }
  }
}
