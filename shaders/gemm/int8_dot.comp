// INT8 GEMMs and convolutions (R12) with exact sums, by packed dot products. A workgroup computes 64 pixels
// (rows of a GEMM) x 64 columns of a group through shared memory. In both operands the inner dimension is
// contiguous and fills whole words. While a K slice is multiplied, the next one is fetched into registers;
// padding is applied when it is put into shared memory, because a select behind a load would wait for it.
//
// sum (a - za) (b - zb) = sum a b - zb sum a - za sum b + za zb. Raw values are multiplied, and the input is
// padded with its zero point.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/words.glsl"
#include "gemm/int8_code.glsl"
#include "gemm/packed_dot.glsl"

// The inner dimension fills 16-byte vectors, which are loaded at once.
layout(constant_id = 3) const bool VECTORS = false;

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
#include "conv/tap_walk.glsl"

READS4(0, a);
READS4(1, b);           // [matrix or group][column][inner]
READS4(2, parameters);  // per column of all groups: the factor of its sums, the zero point of b, and the
                        // factor's digits
READS(3, bias);
WRITES(4, y);

const uint TILE = 64u, SLICE = 16u;  // pixels and columns; words
const uint EACH = 4u;                // invocations that load a line of a slice
const uint LINE = SLICE / 4u + 1u;   // uvec4; one more avoids bank conflicts
const uint COLUMNS = 4u, ACROSS = TILE / COLUMNS;
#ifdef PLAIN
const uint ROWS = 4u;  // the instructions of more would not fit in registers
#else
const uint ROWS = 8u;  // per invocation
#endif
const uint DOWN = TILE / ROWS, GROUP = DOWN * ACROSS;  // must match lower_int8_dot.cpp
const uint LOADS = TILE * EACH / GROUP;                // vectors per operand and invocation

// Column c is line c % 4 * ACROSS + c / 4: adjacent invocations, which have adjacent groups of four columns,
// read adjacent lines.
shared uvec4 left_slice[TILE * LINE], right_slice[TILE * LINE];
shared int left_sums[TILE * EACH], right_sums[TILE * EACH];

uint inner, a_from, b_from;  // inner: words
ivec3 corners[LOADS];
uint rows_from[LOADS];  // of b
uvec3 position, slice_step;
uvec4 next_left[LOADS], next_right[LOADS];
uint exists, is_padding;  // a bit per word of next_left
int left_sum[LOADS], right_sum[LOADS];

uint line_of(uint nth) { return (gl_LocalInvocationID.x + nth * GROUP) / EACH; }
uint right_line_of(uint line) { return line % COLUMNS * ACROSS + line / COLUMNS; }

#ifdef PLAIN
// Slices are stored word by word, each with all lines: software drivers multiply a word by four at once.
#define OWN_LINE(row, i) ((row)*ROWS + (i))
#define PUT_LINE(slice, line, place, at, words)                          \
  [[unroll]] for (uint n = 0u; n < 4u; ++n) {                            \
    slice[((at)*4u + n) * ACROSS + (line) / 4u][(line) % 4u] = words[n]; \
  }
#else
#define OWN_LINE(row, i) ((row) + (i)*DOWN)
#define PUT_LINE(slice, line, place, at, words) slice[(place)*LINE + (at)] = words;
#endif

// Four words from word k on. Any value where `exists` is not set, but always loaded.
uvec4 left_words(uint nth, uint k) {
  const uint parts = VECTORS ? group_words / 4u : group_words;
  uvec4 words;
  uvec3 at = position;
  [[unroll]] for (uint i = 0u; i < (VECTORS ? 1u : 4u); ++i) {
    const uint pixel = find_at(corners[nth], at);
    const uint bits = (VECTORS ? 15u : 1u << i) << 4u * nth;
    exists |= k + i < inner ? bits : 0u;
    is_padding |= pixel == kNone ? bits : 0u;
    const uint from = k + i < inner && pixel != kNone ? a_from + pixel * pixel_words : 0u;
    if (VECTORS) {
      words = a.v[from / 4u + at.z];
    } else {
      words[i] = WORD(a, from + at.z);
      at = moved(at, uvec3(0u, 0u, 1u), parts);
    }
  }
  return words;
}

uvec4 right_words(uint nth, uint k) {
  if (VECTORS) return b.v[(rows_from[nth] + min(k, inner - 4u)) / 4u];
  const uvec4 each = min(uvec4(k, k + 1u, k + 2u, k + 3u), uvec4(inner - 1u)) + rows_from[nth];
  return uvec4(WORD(b, each.x), WORD(b, each.y), WORD(b, each.z), WORD(b, each.w));
}

void fetch(uint from) {
  const uint k = from + gl_LocalInvocationID.x % EACH * 4u;
  exists = is_padding = 0u;
  [[unroll]] for (uint i = 0u; i < LOADS; ++i) {
    next_left[i] = left_words(i, k);
    next_right[i] = right_words(i, k);
  }
}

bvec4 bits_of(uint bits, uint nth) { return notEqual(bits >> 4u * nth & uvec4(1u, 2u, 4u, 8u), uvec4(0u)); }

int sum_of(uvec4 words) {
  const ivec4 sums = packed_dot4(0x01010101u, words);
  return sums.x + sums.y + sums.z + sums.w;
}

int left_total(uint line) {
  const uint at = line * EACH;
  return left_sums[at] + left_sums[at + 1u] + left_sums[at + 2u] + left_sums[at + 3u];
}
int right_total(uint line) {
  const uint at = line * EACH;
  return right_sums[at] + right_sums[at + 1u] + right_sums[at + 2u] + right_sums[at + 3u];
}

// What a row adds to the sums of four columns, and how they are requantized. Read once for all rows.
struct Columns {
  ivec4 addends, zeros;
  vec4 factors, digits;
};

Columns columns_at(uint channel, ivec4 right_sum) {
  Columns all;
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    const uvec4 own = parameters.v[channel + i];
    const int right_zero = int(own.y);
    all.zeros[i] = right_zero;
    all.factors[i] = uintBitsToFloat(own.x);
    all.digits[i] = uintBitsToFloat(own.z);
    all.addends[i] = int(inner * 4u) * left_zero * right_zero - left_zero * right_sum[i];
    if (has_bias != 0u) all.addends[i] += int(bias.w[channel + i]);
  }
  return all;
}

// Stores four results at word `at`.
void store(ivec4 sums, int left_sum, Columns all, uint at) {
  sums += all.addends - all.zeros * left_sum;
  if (rounding == ROUNDS_NONE) {
    [[unroll]] for (uint i = 0u; i < 4u; ++i) y.w[4u * at + i] = uint(sums[i]);
  } else {
    ivec4 codes;
    for (uint i = 0u; i < 4u; ++i) {
      codes[i] = code_of(sums[i], all.factors[i], all.digits[i], rounding, vec2(low, high), zero);
    }
    y.w[at] = pack_bytes(codes);
  }
}

void put() {
  const uvec4 padding = uvec4(uint(left_zero & 0xff) * 0x01010101u);
  [[unroll]] for (uint i = 0u; i < LOADS; ++i) {
    const bvec4 there = bits_of(exists, i);
    const uvec4 left = mix(uvec4(0u), mix(next_left[i], padding, bits_of(is_padding, i)), there);
    const uvec4 right = mix(uvec4(0u), next_right[i], there);
    left_sum[i] += sum_of(left);
    right_sum[i] += sum_of(right);
    const uint at = gl_LocalInvocationID.x % EACH;
    PUT_LINE(left_slice, line_of(i), line_of(i), at, left)
    PUT_LINE(right_slice, line_of(i), right_line_of(line_of(i)), at, right)
  }
}

void multiply(uint matrix, uint first_pixel, uint group, uint first_column) {
  inner = kernel_height * kernel_width * group_words;
  a_from = matrix * a_matrix + group * group_words;
  b_from = matrix * b_matrix + group * columns * inner;
  const uint id = gl_LocalInvocationID.x;
  const uint row = id / ACROSS, column_vec4 = id % ACROSS;
  [[unroll]] for (uint i = 0u; i < LOADS; ++i) {
    corners[i] = walked_corner(min(first_pixel + line_of(i), pixels - 1u));
    rows_from[i] = b_from + min(first_column + line_of(i), columns - 1u) * inner;
    left_sum[i] = right_sum[i] = 0;
  }
  const uint width = VECTORS ? 4u : 1u;
  position = position_of(id % EACH * 4u / width, group_words / width);
  slice_step = position_of(SLICE / width, group_words / width);
  ivec4 sums[ROWS];
  [[unroll]] for (uint i = 0u; i < ROWS; ++i) sums[i] = ivec4(0);
  fetch(0u);
  for (uint from = 0u; from < inner; from += SLICE) {
    barrier();
    put();
    barrier();
    position = moved(position, slice_step, group_words / width);
    fetch(from + SLICE);  // also past the last one: a branch here would wait for the loads
#ifdef PLAIN
    for (uint k = 0u; k < SLICE; ++k) {
      const uvec4 rows = left_slice[k * ACROSS + row], each = right_slice[k * ACROSS + column_vec4];
      [[unroll]] for (uint i = 0u; i < ROWS; ++i) sums[i] += packed_dot4(rows[i], each);
    }
#else
    // Unrolled, compilers load all steps at once, for which Intel's GPUs lack registers.
    [[dont_unroll]] for (uint k = 0u; k < SLICE / 4u; ++k) {
      uvec4 each[COLUMNS];
      [[unroll]] for (uint j = 0u; j < COLUMNS; ++j) {
        each[j] = right_slice[(j * ACROSS + column_vec4) * LINE + k];
      }
      [[unroll]] for (uint i = 0u; i < ROWS; ++i) {
        const uvec4 left = left_slice[(row + i * DOWN) * LINE + k];
        [[unroll]] for (uint j = 0u; j < COLUMNS; ++j) {
          [[unroll]] for (uint n = 0u; n < 4u; ++n) sums[i][j] += packed_dot(left[n], each[j][n]);
        }
      }
    }
#endif
  }
  [[unroll]] for (uint i = 0u; i < LOADS; ++i) {
    left_sums[line_of(i) * EACH + id % EACH] = left_sum[i];
    right_sums[line_of(i) * EACH + id % EACH] = right_sum[i];
  }
  barrier();
  const uint column = first_column + column_vec4 * COLUMNS;
  if (column < columns) {
    const uint at = column_vec4 * COLUMNS, channel = group * columns + column;
    const Columns all = columns_at(
        channel, ivec4(right_total(at), right_total(at + 1u), right_total(at + 2u), right_total(at + 3u)));
    [[unroll]] for (uint i = 0u; i < ROWS; ++i) {
      const uint line = OWN_LINE(row, i), pixel = first_pixel + line;
      if (pixel < pixels) {
        store(sums[i], left_total(line), all, matrix * y_matrix + (pixel * columns * groups + channel) / 4u);
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
