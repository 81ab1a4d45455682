// INT8 GEMMs and convolutions (R12) with exact sums, by packed dot products. A workgroup computes 64 pixels
// (rows of a GEMM) x 64 columns of a group through shared memory. In both operands the inner dimension is
// contiguous and fills whole words. While a K slice is multiplied, the next one is fetched into registers;
// padding is applied when it is put into shared memory, because a select behind a load would wait for it.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gemm/int8_product.glsl"

const uint TILE = 64u, SLICE = 16u;  // pixels and columns; words
const uint EACH = 4u;                // invocations that load a line of a slice
const uint LINE = SLICE / 4u + 1u;   // uvec4; one more avoids bank conflicts
const uint COLUMNS = 4u, ACROSS = TILE / COLUMNS;
#if defined(PLAIN) || defined(SMALL)
const uint ROWS = 4u;  // per invocation; more need many registers
#else
const uint ROWS = 8u;
#endif
const uint DOWN = TILE / ROWS, GROUP = DOWN * ACROSS;  // must match lower_int8_dot.cpp
const uint LOADS = TILE * EACH / GROUP;                // vectors per operand and invocation

#include "conv/tap_walk.glsl"

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
    const Columns all =
        columns_at(channel, inner,
                   ivec4(right_total(at), right_total(at + 1u), right_total(at + 2u), right_total(at + 3u)));
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
