// fp16 ATTENTION by cooperative matrices with float sums. A workgroup of four subgroups has ROWS rows and
// processes 64 keys at a time: it stores the scores in shared memory, turns them into fp16 softmax weights
// there, and multiplies these by the values, 64 elements of a value at a time. SHARE adjacent invocations
// handle one row and keep its results. Query and value sizes are multiples of 8.
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

const uint BLOCK = 64u, FP16S = 8u, VECTORS = BLOCK / FP16S, SUM_VEC4S = BLOCK / 4u;
const uint SUBGROUP_ROWS = 16u, ACROSS = 4u * SUBGROUP_ROWS / ROWS;  // subgroups per row of the tile
#ifdef EMULATED
const uint GAP = 0u;  // no room for more
#else
const uint GAP = 1u;  // avoids bank conflicts
#endif
const uint LINE = VECTORS + GAP, SUM_LINE = SUM_VEC4S + GAP;

// Queries, then the weights. Then, in turn: keys, their scores, values, their products.
const uint WEIGHTS = ROWS * LINE, SLICE = 2u * WEIGHTS;
const uint SLICE_VECTORS = BLOCK * LINE > ROWS* SUM_LINE ? BLOCK* LINE : ROWS* SUM_LINE;
shared uvec4 stage[SLICE + SLICE_VECTORS];
#include "gemm/cooperative_matrix.glsl"

const uint GROUP = 4u * SUBGROUP, SHARE = GROUP / ROWS, OWN_VEC4S = SUM_VEC4S / SHARE;
const uint DOWN = SUBGROUP_ROWS / M, COLUMNS = BLOCK / ACROSS / N;  // matrices per subgroup

vec4 scores[OWN_VEC4S], sums[BLOCKS * OWN_VEC4S];

uint own_row() { return gl_LocalInvocationIndex / SHARE; }

// The invocation's nth vector of a row of scores. Each row starts at another one, to avoid bank conflicts.
uint own_vec4(uint nth) { return (nth * SHARE + gl_LocalInvocationIndex % SHARE + own_row()) % SUM_VEC4S; }
uint own_place(uint nth) { return SLICE + own_row() * SUM_LINE + own_vec4(nth); }

// Loads `count` rows, starting at row `first` of `lines`: eight vectors of each, starting at vector `from` of
// `length`. Row offsets are `line_at`, in vectors of four elements. Missing elements are 0.
#define LOAD_LINES(to, x, count, first, lines, line_at, length, from)                                   \
  for (uint nth = gl_LocalInvocationIndex; nth < (count)*VECTORS; nth += GROUP) {                       \
    const uint line = (first) + nth / VECTORS, at = (from) + nth % VECTORS;                             \
    const bool exists = line < (lines) && at < (length);                                                \
    const uint place = line_at(line) / 2u + at;                                                         \
    stage[(to) + nth / VECTORS * LINE + nth % VECTORS] = exists ? x.v[exists ? place : 0u] : uvec4(0u); \
  }
#define QUERY_AT(line) ROW_AT(query_strides, matrix, line)
#define KEY_AT(line) LINE_AT(key_strides, matrix, line)
#define VALUE_AT(line) LINE_AT(value_strides, matrix, line)

// Rows of the slice are the second matrix's columns (keys) or its K steps (values).
#define IN_COLUMNS(column, k) ((column)*LINE + (k) / FP16S)
#define IN_STEPS(column, k) ((k)*LINE + (column) / FP16S)
#define ADD_PRODUCTS(products, left_at, place_of, is_columns)                                      \
  UNROLL for (uint k = 0u; k < BLOCK; k += K) {                                                    \
    LEFT left[DOWN];                                                                               \
    UNROLL for (uint i = 0u; i < DOWN; ++i) {                                                      \
      LOAD_LEFT(left[i], (left_at) + (first_line() + i * M) * LINE + k / FP16S, LINE);             \
    }                                                                                              \
    UNROLL for (uint j = 0u; j < COLUMNS; ++j) {                                                   \
      RIGHT right;                                                                                 \
      LOAD_RIGHT(right, SLICE + place_of(first_column() + j * N, k), LINE, is_columns);            \
      UNROLL for (uint i = 0u; i < DOWN; ++i) MULTIPLY(left[i], right, products[i * COLUMNS + j]); \
    }                                                                                              \
  }
#define STORE_PRODUCTS(products)                                                                       \
  UNROLL for (uint i = 0u; i < DOWN; ++i) {                                                            \
    UNROLL for (uint j = 0u; j < COLUMNS; ++j) {                                                       \
      STORE_SUMS(products[i * COLUMNS + j],                                                            \
                 SLICE + (first_line() + i * M) * SUM_LINE + (first_column() + j * N) / 4u, SUM_LINE); \
    }                                                                                                  \
  }

uint first_line() { return OWN_SUBGROUP / ACROSS * SUBGROUP_ROWS; }
uint first_column() { return OWN_SUBGROUP % ACROSS * (BLOCK / ACROSS); }

void multiply_keys(uint matrix, uint first_row, uint tile) {
  SUMS products[DOWN * COLUMNS];
  UNROLL for (uint i = 0u; i < DOWN * COLUMNS; ++i) products[i] = NO_SUMS;
  const uint vectors = size / 2u;
  for (uint from = 0u; from < vectors; from += VECTORS) {
    barrier();
    if (tile == 0u || vectors > VECTORS) {
      LOAD_LINES(0u, query, ROWS, first_row, rows, QUERY_AT, vectors, from)
    }
    LOAD_LINES(SLICE, key, BLOCK, tile, keys, KEY_AT, vectors, from)
    barrier();
    ADD_PRODUCTS(products, 0u, IN_COLUMNS, true)
  }
  barrier();
  STORE_PRODUCTS(products)
  barrier();
}

// Scales and masks scores. Returns the invocation's maximum.
float mask_scores(uint row, int seen, uint matrix, uint tile) {
  float largest = -INFINITE;
  [[unroll]] for (uint n = 0u; n < OWN_VEC4S; ++n) {
    const uint first = tile + own_vec4(n) * 4u;
    vec4 v = uintBitsToFloat(stage[own_place(n)]) * scale;
    if (MASK != NO_MASK) {
      [[unroll]] for (uint i = 0u; i < 4u; ++i) v[i] = masked(v[i], row, matrix, min(first + i, keys - 1u));
    }
    const ivec4 at_key = int(first) + ivec4(0, 1, 2, 3);
    v = mix(v, vec4(-INFINITE), greaterThanEqual(at_key, ivec4(seen)));
    largest = larger(largest, larger(larger(v.x, v.y), larger(v.z, v.w)));
    scores[n] = v;
  }
  return largest;
}

// The maximum of a row, exchanged through the memory of the weights.
float largest_of_row(float own) {
  const uint at = gl_LocalInvocationIndex;
  stage[WEIGHTS + at / 4u][at % 4u] = floatBitsToUint(own);
  barrier();
  float largest = own;
  for (uint n = 0u; n < SHARE; ++n) {
    const uint other = own_row() * SHARE + n;
    largest = larger(largest, uintBitsToFloat(stage[WEIGHTS + other / 4u][other % 4u]));
  }
  barrier();
  return largest;
}

float put_weights(float offset) {
  float total = 0.0;
  [[unroll]] for (uint n = 0u; n < OWN_VEC4S; ++n) {
    const vec4 weight = power(scores[n] - offset);
    const uint i = own_vec4(n);
    const uint at = WEIGHTS + own_row() * LINE + i / 2u;
    stage[at][i % 2u * 2u] = packHalf2x16(weight.xy);
    stage[at][i % 2u * 2u + 1u] = packHalf2x16(weight.zw);
    total += (weight.x + weight.y) + (weight.z + weight.w);
  }
  return total;
}

void add_values(uint matrix, uint tile, uint first_block) {
  UNROLL for (uint block = 0u; block < BLOCKS; ++block) {
    LOAD_LINES(SLICE, value, BLOCK, tile, keys, VALUE_AT, parts / 2u, (first_block + block) * VECTORS)
    barrier();
    SUMS products[DOWN * COLUMNS];
    UNROLL for (uint i = 0u; i < DOWN * COLUMNS; ++i) products[i] = NO_SUMS;
    ADD_PRODUCTS(products, WEIGHTS, IN_STEPS, false)
    barrier();
    STORE_PRODUCTS(products)
    barrier();
    [[unroll]] for (uint n = 0u; n < OWN_VEC4S; ++n) {
      sums[block * OWN_VEC4S + n] += uintBitsToFloat(stage[own_place(n)]);
    }
    barrier();
  }
}

float row_total(float own) {
  const uint at = gl_LocalInvocationIndex;
  stage[WEIGHTS + at / 4u][at % 4u] = floatBitsToUint(own);
  barrier();
  float total = 0.0;
  for (uint n = 0u; n < SHARE; ++n) {
    const uint other = own_row() * SHARE + n;
    total += uintBitsToFloat(stage[WEIGHTS + other / 4u][other % 4u]);
  }
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
  const uint end = end_of(first_row);
  [[unroll]] for (uint i = 0u; i < BLOCKS * OWN_VEC4S; ++i) sums[i] = vec4(0.0);

  float largest = -INFINITE, total = 0.0;
  for (uint tile = 0u; tile < end; tile += BLOCK) {
    multiply_keys(matrix, first_row, tile);
    const float before = largest;
    largest = larger(before, largest_of_row(mask_scores(row, seen, matrix, tile)));
    const float offset = offset_of(vec4(largest)).x;
    const float factor = power(before - offset);
    total = total * factor + put_weights(offset);
    [[unroll]] for (uint i = 0u; i < BLOCKS * OWN_VEC4S; ++i) sums[i] *= factor;
    add_values(matrix, tile, first_block);
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
