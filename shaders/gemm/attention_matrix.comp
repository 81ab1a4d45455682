// fp16 ATTENTION by cooperative matrices with float sums. A workgroup of four subgroups has ROWS rows and
// processes 64 keys at a time: it stores the scores in shared memory, turns them into fp16 softmax weights
// there, and multiplies these by the values, 64 elements of a value at a time. SHARE adjacent invocations of
// a subgroup handle one row and keep its results. The next keys or values are fetched into registers while
// these are multiplied. Query and value sizes are multiples of 8.
#version 450
#extension GL_GOOGLE_include_directive : require
#define F32
#define VEC4
#define FP16_VECTORS
#ifndef EMULATED
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#include "gemm/attention_result.glsl"

layout(constant_id = 11) const uint BLOCKS = 1u;  // 64-element blocks of a value per workgroup
// Values are transposed on the way into `stage`, if invocations load pairs of vectors.
layout(constant_id = 12) const bool TRANSPOSES = false;

const uint BLOCK = 64u, FP16S = 8u, VECTORS = BLOCK / FP16S, SUM_VEC4S = BLOCK / 4u;
const uint SUBGROUP_ROWS = 16u, ACROSS = 4u * SUBGROUP_ROWS / ROWS;  // subgroups per row of the tile
#ifdef EMULATED
const uint GAP = 0u;  // no room for more
#else
const uint GAP = 1u;  // avoids bank conflicts
#endif
const uint LINE = VECTORS + GAP, SUM_LINE = SUM_VEC4S + GAP;

// Queries, keys or values, and a line per row of the tile: its scores, then weights, then products.
const uint SLICE = ROWS * LINE, SCORES = SLICE + BLOCK * LINE;
shared uvec4 stage[SCORES + ROWS * SUM_LINE];
#include "gemm/cooperative_matrix.glsl"
#include "gemm/transposed_pairs.glsl"
#define SHOWN_END stage[0].x
#include "gemm/attention_end.glsl"

const uint GROUP = 4u * SUBGROUP, SHARE = GROUP / ROWS, OWN_VEC4S = SUM_VEC4S / SHARE;
const uint EACH = BLOCK * VECTORS / GROUP;  // vectors of keys or values per invocation
const bool TRANSPOSES_VALUES = TRANSPOSES && EACH >= 2u;
const uint DOWN = SUBGROUP_ROWS / M, COLUMNS = BLOCK / ACROSS / N;  // matrices per subgroup

vec4 scores[OWN_VEC4S], sums[BLOCKS * OWN_VEC4S];
uvec4 next[EACH];
uint next_exists;  // a bit per vector
uint keys_from, values_from, mask_from, last_key;

uint own_index() { return OWN_SUBGROUP * SUBGROUP + OWN_LANE; }
uint own_row() { return own_index() / SHARE; }

// Waits for the invocations of a row.
void row_barrier() {
#ifdef EMULATED
  barrier();
#else
  subgroupBarrier();
#endif
}

// Waits for the subgroups that compute a row.
void rows_barrier() {
#ifdef EMULATED
  barrier();
#else
  if (ACROSS == 1u)
    subgroupBarrier();
  else
    barrier();
#endif
}

// The invocation's nth vector of a row of scores. Each row starts at another one, to avoid bank conflicts.
uint own_vec4(uint nth) { return (nth * SHARE + own_index() % SHARE + own_row()) % SUM_VEC4S; }
uint own_place(uint nth) { return SCORES + own_row() * SUM_LINE + own_vec4(nth); }

// Loads eight vectors of each query, from vector `from` on. Missing elements are 0.
void load_queries(uint matrix, uint first_row, uint from) {
  for (uint nth = own_index(); nth < ROWS * VECTORS; nth += GROUP) {
    const uint row = first_row + nth / VECTORS, at = from + nth % VECTORS;
    const bool exists = row < rows && at < size / 2u;
    const uint place = ROW_AT(query_strides, matrix, row) / 2u + at;
    stage[nth / VECTORS * LINE + nth % VECTORS] = exists ? query.v[exists ? place : 0u] : uvec4(0u);
  }
}

// The line and the vector of it that the invocation loads.
uvec2 own_vector(uint i, bool are_pairs) {
  const uint nth = own_index() + i * GROUP;
  if (!are_pairs) return uvec2(nth / VECTORS, nth % VECTORS);
  const uvec2 pair = pair_at(own_index() + i / 2u * GROUP, VECTORS);
  return uvec2(2u * pair.x + i % 2u, pair.y);
}

// Fetches 64 lines, starting at `tile`: eight vectors of each, from vector `from` of `length` on. Loads are
// unconditional, from clamped places; put_lines() zeroes missing elements.
#define FETCH_LINES(operand, line_at, are_pairs, tile, from, length)                 \
  {                                                                                  \
    next_exists = 0u;                                                                \
    UNROLL for (uint i = 0u; i < EACH; ++i) {                                        \
      const uvec2 own = own_vector(i, are_pairs);                                    \
      const uint line = (tile) + own.x, at = (from) + own.y;                         \
      next_exists |= uint(line <= last_key && at < (length)) << i;                   \
      next[i] = operand.v[line_at(min(line, last_key)) / 2u + min(at, (length)-1u)]; \
    }                                                                                \
  }
#define KEY_AT(line) (keys_from + (line)*key_strides[2])
#define VALUE_AT(line) (values_from + (line)*value_strides[2])
void fetch_keys(uint tile, uint from) { FETCH_LINES(key, KEY_AT, false, tile, from, size / 2u) }
void fetch_values(uint tile, uint block) {
  FETCH_LINES(value, VALUE_AT, TRANSPOSES_VALUES, tile, block * VECTORS, parts / 2u)
}

void put_lines(bool are_pairs) {
  UNROLL for (uint i = 0u; i < EACH; ++i) {
    next[i] = mix(uvec4(0u), next[i], bvec4((next_exists >> i & 1u) != 0u));
    const uvec2 own = own_vector(i, false);
    if (!are_pairs) stage[SLICE + own.x * LINE + own.y] = next[i];
  }
  if (!are_pairs) return;
  UNROLL for (uint i = 0u; i < EACH / 2u; ++i) {
    put_pair(SLICE, LINE, pair_at(own_index() + i * GROUP, VECTORS), next[2u * i], next[2u * i + 1u]);
  }
}

// Lines of the slice are the second matrix's columns, or its K steps.
#define IN_COLUMNS(column, k) ((column)*LINE + (k) / FP16S)
#define IN_STEPS(column, k) ((k)*LINE + (column) / FP16S)
// products[first] and following += left * right. Lines on the left are `left_line` vectors long.
#define MULTIPLY_BLOCK(LOOP, products, first, left_at, left_line, are_columns)                               \
  LOOP for (uint k = 0u; k < BLOCK; k += K) {                                                                \
    LEFT left[DOWN];                                                                                         \
    UNROLL for (uint i = 0u; i < DOWN; ++i) {                                                                \
      LOAD_LEFT(left[i], (left_at) + (first_line() + i * M) * (left_line) + k / FP16S, left_line);           \
    }                                                                                                        \
    UNROLL for (uint j = 0u; j < COLUMNS; ++j) {                                                             \
      RIGHT right;                                                                                           \
      const uint column = first_column() + j * N;                                                            \
      if (are_columns) {                                                                                     \
        LOAD_RIGHT(right, SLICE + IN_COLUMNS(column, k), LINE, true);                                        \
      } else {                                                                                               \
        LOAD_RIGHT(right, SLICE + IN_STEPS(column, k), LINE, false);                                         \
      }                                                                                                      \
      UNROLL for (uint i = 0u; i < DOWN; ++i) MULTIPLY(left[i], right, products[(first) + i * COLUMNS + j]); \
    }                                                                                                        \
  }
#define ADD_PRODUCTS(products, first, left_at, left_line, are_columns)       \
  if (FEW_INSTRUCTIONS) {                                                    \
    MULTIPLY_BLOCK(ROLLED, products, first, left_at, left_line, are_columns) \
  } else {                                                                   \
    MULTIPLY_BLOCK(UNROLL, products, first, left_at, left_line, are_columns) \
  }
#define STORE_PRODUCTS(products, first)                                                                 \
  UNROLL for (uint i = 0u; i < DOWN; ++i) {                                                             \
    UNROLL for (uint j = 0u; j < COLUMNS; ++j) {                                                        \
      STORE_SUMS(products[(first) + i * COLUMNS + j],                                                   \
                 SCORES + (first_line() + i * M) * SUM_LINE + (first_column() + j * N) / 4u, SUM_LINE); \
    }                                                                                                   \
  }

uint first_line() { return OWN_SUBGROUP / ACROSS * SUBGROUP_ROWS; }
uint first_column() { return OWN_SUBGROUP % ACROSS * (BLOCK / ACROSS); }

// After the last keys, fetches the first values.
void multiply_keys(uint matrix, uint first_row, uint tile, uint first_block) {
  SUMS products[DOWN * COLUMNS];
  UNROLL for (uint i = 0u; i < DOWN * COLUMNS; ++i) products[i] = NO_SUMS;
  const uint vectors = size / 2u;
  for (uint from = 0u; from < vectors; from += VECTORS) {
    barrier();
    put_lines(false);
    if (tile == 0u || vectors > VECTORS) load_queries(matrix, first_row, from);
    barrier();
    if (from + VECTORS < vectors)
      fetch_keys(tile, from + VECTORS);
    else
      fetch_values(tile, first_block);
    ADD_PRODUCTS(products, 0u, 0u, LINE, true)
  }
  STORE_PRODUCTS(products, 0u)
  rows_barrier();
}

// Scales and masks scores. Returns the invocation's maximum.
float mask_scores(int seen, uint tile) {
  float largest = -INFINITE;
  [[unroll]] for (uint n = 0u; n < OWN_VEC4S; ++n) {
    const uint first = tile + own_vec4(n) * 4u;
    vec4 v = uintBitsToFloat(stage[own_place(n)]) * scale;
    if (MASK != NO_MASK) {
      [[unroll]] for (uint i = 0u; i < 4u; ++i) v[i] = masked(v[i], mask_from, min(first + i, keys - 1u));
    }
    const ivec4 at_key = int(first) + ivec4(0, 1, 2, 3);
    v = mix(v, vec4(-INFINITE), greaterThanEqual(at_key, ivec4(seen)));
    largest = larger(largest, larger(larger(v.x, v.y), larger(v.z, v.w)));
    scores[n] = v;
  }
  return largest;
}

// Where invocation n of a row exchanges a value. Its scores there have been read.
uint shared_place(uint n) { return SCORES + own_row() * SUM_LINE + (n + own_row()) % SUM_VEC4S; }

float largest_of_row(float own) {
  stage[own_place(0u)].x = floatBitsToUint(own);
  row_barrier();
  float largest = own;
  for (uint n = 0u; n < SHARE; ++n) largest = larger(largest, uintBitsToFloat(stage[shared_place(n)].x));
  row_barrier();
  return largest;
}

float put_weights(float offset) {
  float total = 0.0;
  [[unroll]] for (uint n = 0u; n < OWN_VEC4S; ++n) {
    const vec4 weight = power(scores[n] - offset);
    const uint i = own_vec4(n);
    const uint at = SCORES + own_row() * SUM_LINE + i / 2u;
    stage[at][i % 2u * 2u] = packHalf2x16(weight.xy);
    stage[at][i % 2u * 2u + 1u] = packHalf2x16(weight.zw);
    total += (weight.x + weight.y) + (weight.z + weight.w);
  }
  return total;
}

// After the last values, fetches the next keys. Products overwrite the weights, so all blocks are multiplied
// first.
void add_values(uint tile, uint first_block) {
  SUMS products[BLOCKS * DOWN * COLUMNS];
  UNROLL for (uint i = 0u; i < BLOCKS * DOWN * COLUMNS; ++i) products[i] = NO_SUMS;
  UNROLL for (uint block = 0u; block < BLOCKS; ++block) {
    barrier();
    put_lines(TRANSPOSES_VALUES);
    barrier();
    if (block + 1u < BLOCKS)
      fetch_values(tile, first_block + block + 1u);
    else
      fetch_keys(tile + BLOCK, 0u);
    ADD_PRODUCTS(products, block * DOWN * COLUMNS, SCORES, SUM_LINE, TRANSPOSES_VALUES)
  }
  UNROLL for (uint block = 0u; block < BLOCKS; ++block) {
    rows_barrier();
    STORE_PRODUCTS(products, block * DOWN * COLUMNS)
    rows_barrier();
    [[unroll]] for (uint n = 0u; n < OWN_VEC4S; ++n) {
      sums[block * OWN_VEC4S + n] += uintBitsToFloat(stage[own_place(n)]);
    }
  }
}

float row_total(float own) {
  stage[own_place(0u)].x = floatBitsToUint(own);
  row_barrier();
  float total = 0.0;
  for (uint n = 0u; n < SHARE; ++n) total += uintBitsToFloat(stage[shared_place(n)].x);
  return total;
}

void main() {
  const uint work = global_word() / GROUP;
  if (work >= count) return;
  const uint first_block = work % part_blocks * BLOCKS;
  const uint first_row = work / part_blocks % blocks * ROWS;
  const uint matrix = work / part_blocks / blocks;
  const uint row = min(first_row + own_row(), rows - 1u);
  const int seen = seen_by(uvec4(row)).x;
  const uint end = shown_end(first_row, matrix, 0u, end_of(first_row), GROUP);
  last_key = keys - 1u;
  if (MASK == FLAGS) last_key = max(end, 1u) - 1u;
  [[unroll]] for (uint i = 0u; i < BLOCKS * OWN_VEC4S; ++i) sums[i] = vec4(0.0);

  keys_from = LINE_AT(key_strides, matrix, 0u);
  values_from = LINE_AT(value_strides, matrix, 0u);
  if (MASK != NO_MASK) mask_from = mask_at(row, matrix);

  float largest = -INFINITE, total = 0.0;
  fetch_keys(0u, 0u);
  for (uint tile = 0u; tile < end; tile += BLOCK) {
    multiply_keys(matrix, first_row, tile, first_block);
    const float before = largest;
    largest = larger(before, largest_of_row(mask_scores(seen, tile)));
    const float offset = offset_of(vec4(largest)).x;
    const float factor = power(before - offset);
    total = total * factor + put_weights(offset);
    [[unroll]] for (uint i = 0u; i < BLOCKS * OWN_VEC4S; ++i) sums[i] *= factor;
    add_values(tile, first_block);
  }
  total = row_total(total);
  if (first_row + own_row() >= rows) return;
  const uint row_at = ROW_AT(result_strides, matrix, row);
  [[unroll]] for (uint block = 0u; block < BLOCKS; ++block) {
    [[unroll]] for (uint n = 0u; n < OWN_VEC4S; ++n) {
      const uint part = (first_block + block) * SUM_VEC4S + own_vec4(n);
      const vec4 sum = sums[block * OWN_VEC4S + n];
      if (part < parts) store_vec4(row_at, part, quotient(sum, total));
    }
  }
}
