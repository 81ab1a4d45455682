// INT8 GEMMs and convolutions (R12) with exact sums, by packed dot products. A workgroup computes 64 pixels
// (rows of a GEMM) x 64 columns of a group through shared memory, 4x4 per invocation. In both operands the
// inner dimension is contiguous and fills whole words.
//
// sum (a - za) (b - zb) = sum a b - zb sum a - za sum b + za zb. Raw values are multiplied, and the input is
// padded with its zero point.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/words.glsl"
#include "gemm/int8_code.glsl"
#include "gemm/packed_dot.glsl"

layout(push_constant) uniform Push {
  uint pixels;  // output pixels, or rows
  uint out_height, out_width, in_height, in_width;
  uint pixel_words, group_words;  // words per pixel of a, and per group
  uint columns, groups;           // columns per group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  uint matrices, a_matrix, b_matrix, y_matrix;  // matrix strides, in words
  int left_zero;                                // zero point of a
  REQUANTIZE_PUSH
};
#include "conv/input_pixel.glsl"

READS(0, a);
READS(1, b);           // [matrix or group][column][inner]
READS(2, parameters);  // per column of all groups: the factor of its sums, the zero point of b, and the
                       // factor's digits
READS(3, bias);
WRITES(4, y);

const uint TILE = 64u, SLICE = 16u, VEC4S = TILE / 4u;

shared uvec4 left_slice[SLICE * VEC4S], right_slice[SLICE * VEC4S];  // [word] of uvec4 of pixels, of columns
shared int left_sums[TILE * 4u], right_sums[TILE * 4u];

uint inner, a_from, b_from;  // inner: words

// Word k of the receptive field; 0 behind the last one.
uint left_word(ivec3 own_corner, uint k) {
  const uint word = min(k, inner - 1u);
  const uint cell = word / group_words;
  const ivec2 tap = ivec2(cell / kernel_width * dilation_height, cell % kernel_width * dilation_width);
  const uint pixel = find(own_corner, tap);
  const uint padding = uint(left_zero & 0xff) * 0x01010101u;
  const uint there = a.w[pixel == kNone ? 0u : a_from + pixel * pixel_words + word % group_words];
  return k < inner ? (pixel == kNone ? padding : there) : 0u;
}
uvec4 left_words(ivec3 own_corner, uint k) {
  return uvec4(left_word(own_corner, k), left_word(own_corner, k + 1u), left_word(own_corner, k + 2u),
               left_word(own_corner, k + 3u));
}

uvec4 right_words(uint column, uint k) {
  const uint row = b_from + min(column, columns - 1u) * inner;
  const uvec4 each = min(uvec4(k, k + 1u, k + 2u, k + 3u), uvec4(inner - 1u)) + row;
  const uvec4 words = uvec4(b.w[each.x], b.w[each.y], b.w[each.z], b.w[each.w]);
  return mix(uvec4(0u), words, lessThan(uvec4(k, k + 1u, k + 2u, k + 3u), uvec4(inner)));
}

int sum_of(uvec4 words) {
  const ivec4 sums = packed_dot4(0x01010101u, words);
  return sums.x + sums.y + sums.z + sums.w;
}

int left_total(uint line) {
  const uint at = line * 4u;
  return left_sums[at] + left_sums[at + 1u] + left_sums[at + 2u] + left_sums[at + 3u];
}
int right_total(uint line) {
  const uint at = line * 4u;
  return right_sums[at] + right_sums[at + 1u] + right_sums[at + 2u] + right_sums[at + 3u];
}

void store(ivec4 sums, int left_sum, ivec4 right_sum, uint pixel, uint column, uint channel, uint y_from) {
  const uint word = y_from + (pixel * columns * groups + channel + column) / 4u;
  ivec4 quantized;
  for (uint i = 0u; i < 4u; ++i) {
    const uint at = channel + column + i;
    const int right_zero = int(parameters.w[4u * at + 1u]);
    int sum = sums[i] - right_zero * left_sum - left_zero * right_sum[i];
    sum += int(inner * 4u) * left_zero * right_zero;
    if (has_bias != 0u) sum += int(bias.w[at]);
    if (rounding == ROUNDS_NONE) y.w[4u * word + i] = uint(sum);
    const float factor = uintBitsToFloat(parameters.w[4u * at]);
    const float digits = uintBitsToFloat(parameters.w[4u * at + 2u]);
    quantized[i] = code_of(sum, factor, digits, rounding, vec2(low, high), zero);
  }
  if (rounding != ROUNDS_NONE) y.w[word] = pack_bytes(quantized);
}

void multiply(uint matrix, uint first_pixel, uint group, uint first_column) {
  inner = kernel_height * kernel_width * group_words;
  a_from = matrix * a_matrix + group * group_words;
  b_from = matrix * b_matrix + group * columns * inner;
  const uint id = gl_LocalInvocationID.x;
  const uint line = id / 4u, step = id % 4u * 4u;  // the words that this invocation loads
  const uint row_vec4 = id / VEC4S, column_vec4 = id % VEC4S;
  const ivec3 own_corner = corner(min(first_pixel + line, pixels - 1u));
  ivec4 s0 = ivec4(0), s1 = s0, s2 = s0, s3 = s0;
  int left_sum = 0, right_sum = 0;
  for (uint from = 0u; from < inner; from += SLICE) {
    const uvec4 left = left_words(own_corner, from + step);
    const uvec4 right = right_words(first_column + line, from + step);
    left_sum += sum_of(left);
    right_sum += sum_of(right);
    barrier();
    for (uint i = 0u; i < 4u; ++i) {
      left_slice[(step + i) * VEC4S + line / 4u][line % 4u] = left[i];
      right_slice[(step + i) * VEC4S + line / 4u][line % 4u] = right[i];
    }
    barrier();
    for (uint k = 0u; k < SLICE; ++k) {
      const uvec4 rows = left_slice[k * VEC4S + row_vec4];
      const uvec4 each = right_slice[k * VEC4S + column_vec4];
      s0 += packed_dot4(rows.x, each);
      s1 += packed_dot4(rows.y, each);
      s2 += packed_dot4(rows.z, each);
      s3 += packed_dot4(rows.w, each);
    }
  }
  left_sums[id] = left_sum;
  right_sums[id] = right_sum;
  barrier();
  const uint column = first_column + column_vec4 * 4u;
  if (column < columns) {
    const uint at = column_vec4 * 4u;
    const ivec4 right_vec4 =
        ivec4(right_total(at), right_total(at + 1u), right_total(at + 2u), right_total(at + 3u));
    const ivec4 sums[4] = ivec4[4](s0, s1, s2, s3);
    for (uint i = 0u; i < 4u; ++i) {
      const uint row = row_vec4 * 4u + i;
      if (first_pixel + row < pixels) {
        store(sums[i], left_total(row), right_vec4, first_pixel + row, column, group * columns,
              matrix * y_matrix);
      }
    }
  }
  barrier();
}

// Workgroups are ordered by pixels, then by columns, then by groups.
void main() {
  const uint tiles = (pixels + TILE - 1u) / TILE;
  const uint nth = gl_WorkGroupID.x / tiles;
  const uint group_tiles = (columns + TILE - 1u) / TILE;
  const uint first_pixel = (gl_WorkGroupID.x - nth * tiles) * TILE;
  const uint group = nth / group_tiles;
  const uint first_column = (nth - group * group_tiles) * TILE;
  for (uint matrix = gl_WorkGroupID.z; matrix < matrices; matrix += gl_NumWorkGroups.z) {
    multiply(matrix, first_pixel, group, first_column);
  }
}
