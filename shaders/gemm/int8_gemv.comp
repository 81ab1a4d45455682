// int8_dot.comp for up to eight rows, and for pointwise convolutions of few pixels. A workgroup shares four
// columns, whose results are one word; its invocations take every n-th word or vector of K.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/row_group.glsl"
#include "gemm/int8_code.glsl"
#include "gemm/packed_dot.glsl"

const uint MAX_ROWS = 8u;
layout(constant_id = 3) const uint ROWS = 1;
layout(constant_id = 4) const uint ACROSS = 1;
// The inner dimension fills 16-byte vectors, which are loaded at once.
layout(constant_id = 5) const bool VECTORS = false;

layout(push_constant) uniform Push {
  uint columns, inner;                          // inner: words
  uint matrices, a_matrix, b_matrix, y_matrix;  // matrix strides, in words
  int left_zero;                                // zero point of a
  REQUANTIZE_PUSH
};

READS4(0, a);
READS4(1, b);          // [matrix][column][inner]
READS(2, parameters);  // per column: the factor of its sums, the zero point of b, and the factor's digits
READS(3, bias);
WRITES(4, y);

#define PLUS(a, b) ((a) + (b))
ROW_REDUCTION(sum_of_row, ivec4, PLUS, subgroupAdd)

ivec4 sums[MAX_ROWS];

const uint WORDS = VECTORS ? 4u : 1u;  // per load

uvec4 a_words(uint word) { return VECTORS ? a.v[word / 4u] : uvec4(WORD(a, word)); }
uvec4 b_words(uint word) { return VECTORS ? b.v[word / 4u] : uvec4(WORD(b, word)); }

// As in int8_dot.comp: the sum of a (b - zb) - za b.
void add_products(uint a_from, uint b_from, ivec4 right_zeros) {
  ivec4 right_sum = ivec4(0);
  int left_sums[MAX_ROWS];
  [[unroll]] for (uint row = 0u; row < ROWS; ++row) left_sums[row] = 0;
  for (uint k = OWN_LANE * WORDS; k < inner; k += ROW_LANES * WORDS) {
    const uint at = b_from + k;
    const uvec4 lines[4] =
        uvec4[4](b_words(at), b_words(at + inner), b_words(at + 2u * inner), b_words(at + 3u * inner));
    uvec4 left[MAX_ROWS];
    [[unroll]] for (uint row = 0u; row < ROWS; ++row) left[row] = a_words(a_from + row * inner + k);
    [[unroll]] for (uint n = 0u; n < WORDS; ++n) {
      const uvec4 right = uvec4(lines[0][n], lines[1][n], lines[2][n], lines[3][n]);
      right_sum += packed_dot4(0x01010101u, right);
      [[unroll]] for (uint row = 0u; row < ROWS; ++row) {
        sums[row] += packed_dot4(left[row][n], right);
        left_sums[row] += packed_dot(left[row][n], 0x01010101u);
      }
    }
  }
  [[unroll]] for (uint row = 0u; row < ROWS; ++row) {
    sums[row] -= right_zeros * left_sums[row] + left_zero * right_sum;
  }
}

void store(ivec4 four, uint column, ivec4 right_zeros, uint at) {
  ivec4 quantized;
  for (uint i = 0u; i < 4u; ++i) {
    int sum = four[i] + int(inner * 4u) * left_zero * right_zeros[i];
    if (has_bias != 0u) sum += int(bias.w[column + i]);
    if (rounding == ROUNDS_NONE) y.w[4u * at + i] = uint(sum);
    const float factor = uintBitsToFloat(parameters.w[4u * (column + i)]);
    const float digits = uintBitsToFloat(parameters.w[4u * (column + i) + 2u]);
    quantized[i] = code_of(sum, factor, digits, rounding, vec2(low, high), zero);
  }
  if (rounding != ROUNDS_NONE) y.w[at] = pack_bytes(quantized);
}

void main() {
  const uint column = OWN_ROW(columns / 4u) * 4u;
  const uint at = 4u * column + 1u;
  const ivec4 right_zeros =
      ivec4(parameters.w[at], parameters.w[at + 4u], parameters.w[at + 8u], parameters.w[at + 12u]);
  for (uint matrix = gl_WorkGroupID.z; matrix < matrices; matrix += gl_NumWorkGroups.z) {
    [[unroll]] for (uint row = 0u; row < ROWS; ++row) sums[row] = ivec4(0);
    add_products(matrix * a_matrix, matrix * b_matrix + column * inner, right_zeros);
    [[unroll]] for (uint row = 0u; row < ROWS; ++row) {
      const ivec4 sum = sum_of_row(sums[row]);
      if (OWN_LANE == row % ROW_LANES)
        store(sum, column, right_zeros, matrix * y_matrix + (row * columns + column) / 4u);
    }
  }
}
