// ATTENTION with few rows, bound by reading keys and values. A workgroup has ROWS rows (1 or 4) and processes
// as many keys at a time as it has invocations. In the first half of such a tile, each invocation multiplies
// one key from shared memory; in the second half each has a vector of the values, and a share of the keys if
// there are fewer vectors than invocations. In variant SPLIT several workgroups share the keys, and
// attention_merge.comp merges their results.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gemm/attention_split.glsl"

const uint GROUP = 128u, SLICE = 8u;
const uint LINE = SLICE + 1u;  // avoids bank conflicts

shared vec4 slice[GROUP * LINE];  // keys, finally the sums
shared vec4 query_slice[4u * SLICE];
shared vec4 weights[GROUP];   // by key, for the four rows
shared vec4 exchange[GROUP];  // maximum scores, finally the totals
shared uint shown;
#define SHOWN_END shown
#include "gemm/attention_end.glsl"

// The scores of this invocation's key for the rows that start at `query_at`.
vec4 multiply_key(uvec4 query_at, uint matrix, uint tile) {
  const uint own = gl_LocalInvocationIndex;
  vec4 v = vec4(0.0);
  for (uint from = 0u; from < VEC4S(size); from += SLICE) {
    barrier();
    if (own < ROWS * SLICE)
      query_slice[own] = VEC4_AT(query, query_at[own / SLICE], size, from + own % SLICE);
    for (uint n = 0u; n < SLICE; ++n) {
      const uint at = own + n * GROUP;
      const uint line = LINE_AT(key_strides, matrix, min(tile + at / SLICE, keys - 1u));
      slice[at / SLICE * LINE + at % SLICE] = VEC4_AT(key, line, size, from + at % SLICE);
    }
    barrier();
    for (uint k = 0u; k < SLICE; ++k) {
      const vec4 of_key = slice[own * LINE + k];
      [[unroll]] for (uint i = 0u; i < ROWS; ++i) v[i] += dot(query_slice[i * SLICE + k], of_key);
    }
  }
  return v * scale;
}

// Merges the values of all invocations per row into the row's first element of `exchange`.
#define MERGE_ROWS(name, merge)                                                 \
  vec4 name(vec4 own) {                                                         \
    const uint at = gl_LocalInvocationIndex;                                    \
    barrier();                                                                  \
    exchange[at] = own;                                                         \
    for (uint apart = GROUP / 2u; apart > 0u; apart /= 2u) {                    \
      barrier();                                                                \
      if (at < apart) exchange[at] = merge(exchange[at], exchange[at + apart]); \
    }                                                                           \
    barrier();                                                                  \
    return exchange[0];                                                         \
  }
#define PLUS(a, b) ((a) + (b))
MERGE_ROWS(largest_of, larger)
MERGE_ROWS(total_of, PLUS)

void main() {
  uint work = global_word() / GROUP;
  if (work >= count) return;
  const uint part_block = work % part_blocks;
  work /= part_blocks;
  const uint split = work % splits;
  work /= splits;
  const uint first_row = work % blocks * ROWS;
  const uint matrix = work / blocks;
  const uvec4 row = rows_from(first_row), query_at = ROWS_AT(query_strides, matrix, row);
  const ivec4 seen = seen_by(row);
  const uint begin = split * split_keys;
  const uint seen_end = min(begin + split_keys, uint(max(max(seen.x, seen.y), max(seen.z, seen.w))));
  const uint end = shown_end(first_row, matrix, begin, seen_end, GROUP);

  const uint own = gl_LocalInvocationIndex;
  const uint own_parts = min(VEC4S(parts) - part_block * GROUP, GROUP);
  const uint shares = GROUP / own_parts;
  const uint share = own / own_parts;
  const uint part = part_block * GROUP + own % own_parts;

  vec4 largest = vec4(-INFINITE), total = vec4(0.0);
  vec4 sums[4] = vec4[4](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
  for (uint tile = begin; tile < end; tile += GROUP) {
    const vec4 scores = mask_scores(multiply_key(query_at, matrix, tile), row, seen, matrix, tile + own, end);
    const vec4 before = largest;
    largest = larger(largest, largest_of(scores));
    const vec4 offset = offset_of(largest);
    const vec4 weight = power(scores - offset), factor = power(before - offset);
    weights[own] = weight;
    total = total * factor + weight;
    [[unroll]] for (uint i = 0u; i < ROWS; ++i) sums[i] *= factor[i];
    barrier();
    if (share >= shares) continue;
    for (uint k = share; k < min(GROUP, end - tile); k += shares) {
      const vec4 of_key = weights[k];
      const vec4 v = VEC4_AT(value, LINE_AT(value_strides, matrix, tile + k), parts, part);
      [[unroll]] for (uint i = 0u; i < ROWS; ++i) sums[i] += of_key[i] * v;
    }
  }
  total = total_of(total);
  [[unroll]] for (uint i = 0u; i < ROWS; ++i) slice[i * GROUP + own] = sums[i];
  barrier();
  if (share > 0u) return;
  for (uint other = own + own_parts; other < shares * own_parts; other += own_parts) {
    [[unroll]] for (uint i = 0u; i < ROWS; ++i) sums[i] += slice[i * GROUP + other];
  }
  [[unroll]] for (uint i = 0u; i < ROWS; ++i) {
    if (first_row + i < rows) store(split, matrix, row[i], part, sums[i], largest[i], total[i]);
  }
}
