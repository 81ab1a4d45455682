// ATTENTION by tiles: a workgroup has ROWS rows and processes 32 keys at a time. ACROSS invocations share
// four rows; in the first half of a tile each takes every eighth key, in the second half every eighth vector
// of the values. Slices of queries, keys and values are in shared memory.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gemm/attention_result.glsl"

layout(constant_id = 7) const uint VALUES = 1u;  // value vectors per invocation

const uint ACROSS = 8u, KEYS = 32u, SLICE = 8u, MAX_VALUES = 4u;
const uint LINE = SLICE + 1u;  // avoids bank conflicts
const uint GROUP = ROWS / 4u * ACROSS;

shared vec4 query_slice[ROWS * LINE];
shared vec4 slice[KEYS * LINE];    // keys, then values
shared vec4 weights[ROWS * LINE];  // by row; element i has keys i, i + 8, i + 16 and i + 24
shared vec4 exchange[GROUP];       // maximum scores of four rows, finally the totals
shared uint shown;
#define SHOWN_END shown
#include "gemm/attention_end.glsl"

const uint EACH = KEYS * SLICE / GROUP;  // vectors of keys or values per invocation
vec4 next[EACH];
uint next_from, next_length, keys_from, values_from, last_key;

vec4 scores[4], sums[4u * MAX_VALUES];  // row i, vector j: sums[i * MAX_VALUES + j]

uint across() { return gl_LocalInvocationIndex % ACROSS; }
uint own_rows() { return gl_LocalInvocationIndex / ACROSS * 4u; }

void load_queries(uint matrix, uint first_row, uint from) {
  for (uint n = 0u; n < ROWS * SLICE / GROUP; ++n) {
    const uint at = gl_LocalInvocationIndex + n * GROUP;
    const uint line = ROW_AT(query_strides, matrix, min(first_row + at / SLICE, rows - 1u));
    query_slice[at / SLICE * LINE + at % SLICE] = VEC4_AT(query, line, size, from + at % SLICE);
  }
}

// Fetches 32 lines, starting at `tile`: eight vectors of each, from vector `from` of `length` on. Loads are
// unconditional, from clamped places; put_lines() zeroes missing elements. Lines beyond the last one repeat
// it; their weights are 0.
#define FETCH_LINES(operand, line_at, tile, from, length)                                                 \
  {                                                                                                       \
    next_from = from;                                                                                     \
    next_length = length;                                                                                 \
    [[unroll]] for (uint n = 0u; n < EACH; ++n) {                                                         \
      const uint at = gl_LocalInvocationIndex + n * GROUP;                                                \
      next[n] =                                                                                           \
          CLAMPED_VEC4_AT(operand, line_at(min(tile + at / SLICE, last_key)), length, from + at % SLICE); \
    }                                                                                                     \
  }
#define KEY_AT(line) (keys_from + (line)*key_strides[2])
#define VALUE_AT(line) (values_from + (line)*value_strides[2])
void fetch_keys(uint tile, uint from) { FETCH_LINES(key, KEY_AT, tile, from, size) }
void fetch_values(uint tile, uint from) { FETCH_LINES(value, VALUE_AT, tile, from, parts) }

void put_lines() {
  [[unroll]] for (uint n = 0u; n < EACH; ++n) {
    const uint at = gl_LocalInvocationIndex + n * GROUP;
    slice[at / SLICE * LINE + at % SLICE] = existing(next[n], next_length, next_from + at % SLICE);
  }
}

// After the last keys, fetches the first values.
void multiply_keys(uint matrix, uint first_row, uint tile, uint first_part) {
  [[unroll]] for (uint i = 0u; i < 4u; ++i) scores[i] = vec4(0.0);
  for (uint from = 0u; from < VEC4S(size); from += SLICE) {
    barrier();
    if (tile == 0u || VEC4S(size) > SLICE) load_queries(matrix, first_row, from);
    put_lines();
    barrier();
    if (from + SLICE < VEC4S(size))
      fetch_keys(tile, from + SLICE);
    else
      fetch_values(tile, first_part);
    // Unrolled, compilers load all steps at once, for which some GPUs lack registers.
    [[dont_unroll]] for (uint k = 0u; k < SLICE; ++k) {
      const uint at = across() * LINE + k;
      const vec4 a = slice[at], b = slice[at + ACROSS * LINE], c = slice[at + 2u * ACROSS * LINE],
                 d = slice[at + 3u * ACROSS * LINE];
      [[unroll]] for (uint i = 0u; i < 4u; ++i) {
        const vec4 q = query_slice[(own_rows() + i) * LINE + k];
        scores[i] += vec4(dot(q, a), dot(q, b), dot(q, c), dot(q, d));
      }
    }
  }
}

// Scales and masks scores. Returns each row's maximum. `mask_rows`: offsets of the mask's rows.
vec4 mask_scores(uvec4 mask_rows, ivec4 seen, uint tile) {
  vec4 largest = vec4(-INFINITE);
  const uvec4 at_key = tile + across() + uvec4(0u, ACROSS, 2u * ACROSS, 3u * ACROSS);
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    vec4 v = scores[i] * scale;
    if (MASK != NO_MASK) {
      [[unroll]] for (uint j = 0u; j < 4u; ++j) v[j] = masked(v[j], mask_rows[i], min(at_key[j], keys - 1u));
    }
    v = mix(v, vec4(-INFINITE), greaterThanEqual(ivec4(at_key), ivec4(seen[i])));
    largest[i] = larger(larger(larger(v.x, v.y), v.z), v.w);
    scores[i] = v;
  }
  return largest;
}

// Adds value vector j, weighted. After the last one, fetches the next keys.
void add_value(uint j, uint tile, uint first_part) {
  barrier();
  put_lines();
  barrier();
  if (j + 1u < VALUES)
    fetch_values(tile, first_part + (j + 1u) * ACROSS);
  else
    fetch_keys(tile + KEYS, 0u);
  [[dont_unroll]] for (uint n = 0u; n < ACROSS; ++n) {
    const uint at = n * LINE + across();
    const vec4 a = slice[at], b = slice[at + ACROSS * LINE], c = slice[at + 2u * ACROSS * LINE],
               d = slice[at + 3u * ACROSS * LINE];
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {
      const vec4 weight = weights[(own_rows() + i) * LINE + n];
      sums[i * MAX_VALUES + j] += weight.x * a + weight.y * b + weight.z * c + weight.w * d;
    }
  }
}

// Not a loop over VALUES: Mesa does not unroll it if there is a mask, and then `sums` is indexed by branches.
void add_values(uint tile, uint first_part) {
  add_value(0u, tile, first_part);
  if (VALUES > 1u) add_value(1u, tile, first_part);
  if (VALUES > 2u) add_value(2u, tile, first_part);
  if (VALUES > 3u) add_value(3u, tile, first_part);
}

vec4 row_totals(vec4 own) {
  barrier();
  exchange[gl_LocalInvocationIndex] = own;
  barrier();
  vec4 total = vec4(0.0);
  for (uint n = 0u; n < ACROSS; ++n) total += exchange[own_rows() * (ACROSS / 4u) + n];
  return total;
}

void main() {
  const uint work = global_word() / GROUP;
  if (work >= count) return;
  const uint first_part = work % part_blocks * VALUES * ACROSS;
  const uint first_row = work / part_blocks % blocks * ROWS;
  const uint matrix = work / part_blocks / blocks;
  const uvec4 row = rows_from(first_row + own_rows());
  const ivec4 seen = seen_by(row);
  uvec4 mask_rows = uvec4(0u);
  if (MASK != NO_MASK) {
    [[unroll]] for (uint i = 0u; i < 4u; ++i) mask_rows[i] = mask_at(row[i], matrix);
  }
  const uint end = shown_end(first_row, matrix, 0u, end_of(first_row), GROUP);
  last_key = keys - 1u;
  if (MASK == FLAGS) last_key = max(end, 1u) - 1u;
  [[unroll]] for (uint i = 0u; i < 4u * MAX_VALUES; ++i) sums[i] = vec4(0.0);

  keys_from = LINE_AT(key_strides, matrix, 0u);
  values_from = LINE_AT(value_strides, matrix, 0u);
  fetch_keys(0u, 0u);
  vec4 largest = vec4(-INFINITE), total = vec4(0.0);
  for (uint tile = 0u; tile < end; tile += KEYS) {
    multiply_keys(matrix, first_row, tile, first_part);
    exchange[gl_LocalInvocationIndex] = mask_scores(mask_rows, seen, tile);
    barrier();
    const vec4 before = largest;
    for (uint n = 0u; n < ACROSS; ++n) largest = larger(largest, exchange[own_rows() * (ACROSS / 4u) + n]);
    const vec4 offset = offset_of(largest);
    const vec4 factor = power(before - offset);
    total *= factor;
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {
      const vec4 weight = power(scores[i] - offset[i]);
      weights[(own_rows() + i) * LINE + across()] = weight;
      total[i] += (weight.x + weight.y) + (weight.z + weight.w);
      [[unroll]] for (uint j = 0u; j < VALUES; ++j) sums[i * MAX_VALUES + j] *= factor[i];
    }
    add_values(tile, first_part);
  }
  total = row_totals(total);
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    const uint row_at = ROW_AT(result_strides, matrix, row[i]);
    [[unroll]] for (uint j = 0u; j < VALUES; ++j) {
      const uint part = first_part + j * ACROSS + across();
      const bool exists = first_row + own_rows() + i < rows && part < VEC4S(parts);
      if (exists) store_vec4(row_at, part, quotient(sums[i * MAX_VALUES + j], total[i]));
    }
  }
}
