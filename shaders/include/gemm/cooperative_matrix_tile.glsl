// A GEMM tile of TILE x TILE fp16 values (variant INT8: signed bytes), computed by a workgroup of DOWN x
// ACROSS subgroups with cooperative matrices. A K slice of 64 fp16 values or 128 bytes is in shared memory;
// while it is multiplied, the next one is fetched into registers. Loads are unconditional, from clamped
// places, and zeroed when they are put into shared memory: a branch or a select behind a load would wait for
// it before the multiplication.
#ifndef NNRT_COOPERATIVE_MATRIX_TILE
#define NNRT_COOPERATIVE_MATRIX_TILE
#extension GL_EXT_control_flow_attributes : require
#ifndef EMULATED
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#ifdef INT8
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#else
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#endif
#ifdef INT8
#include "base/words.glsl"
#else
#define F32
#define VEC4
#include "gemm/gemm_epilogue.glsl"
#endif

layout(constant_id = 11) const uint DOWN = 2;
layout(constant_id = 12) const uint ACROSS = 2;
layout(constant_id = 13) const uint TILE = 64;
const uint VECTORS = 8u;  // per row of a slice
#ifdef EMULATED
const uint GAP = 0u;  // no room for more
#else
const uint GAP = 1u;                       // avoids bank conflicts
#endif
const uint LINE = VECTORS + GAP;
#ifdef INT8
const uint OPERAND = TILE * LINE;
#else
const uint FP16S = 8u;                     // per vector
const uint ROW_LINE = TILE / FP16S + GAP;  // vectors per K step of b
const uint BY_LINES = TILE * LINE, BY_ROWS = VECTORS * FP16S * ROW_LINE;
const uint OPERAND = BY_LINES > BY_ROWS ? BY_LINES : BY_ROWS;
#endif

#ifdef NARROW           // matrices of 8 INT8 K steps, which begin at halves of vectors
const uint PARTS = 2u;  // per vector
shared uvec2 stage[2u * OPERAND * PARTS];
#define STAGED(i) uvec4(stage[2u * (i)], stage[2u * (i) + 1u])
void put_vector(uint i, uvec4 vector) {
  stage[2u * i] = vector.xy;
  stage[2u * i + 1u] = vector.zw;
}
void put_word(uint i, uint word, uint value) { stage[2u * i + word / 2u][word % 2u] = value; }
#else
const uint PARTS = 1u;
shared uvec4 stage[2u * OPERAND];
#define STAGED(i) stage[i]
void put_vector(uint i, uvec4 vector) { stage[i] = vector; }
void put_word(uint i, uint word, uint value) { stage[i][word] = value; }
#endif
#include "gemm/cooperative_matrix.glsl"
const uint SLICE = VECTORS * PER_VECTOR;
const uint GROUP = DOWN * ACROSS * SUBGROUP, EACH = TILE * VECTORS / GROUP;

#ifdef IM2COL
READS_AS(0, a, float);
#else
READS4(0, a);
#endif
READS4(1, b);

// Defined by the kernel: the vector of K steps from k on, of a row or a column of the tile. Any value unless
// `exists`, but always loaded. `nth` numbers the invocation's vectors, whose rows and columns never change.
// All of them start at the same k: begin_steps() gets the first one, next_steps() adds SLICE.
void begin_steps(uint k);
void next_steps();
uvec4 left_vector(uint nth, uint row, uint k, out bool exists);
uvec4 column_vector(uint column, uint k, out bool exists);
void store_vec4(SUM4 sum, uint row, uint column);
#ifdef INT8
uvec4 missing_vector(uint nth);  // takes the place of a left vector that does not exist
#define FETCH_BIAS(column)
#else
// Four biases from a column of the tile on, or zeros. The column may be past the last one.
vec4 bias_at(uint column);
vec4 own_bias;  // for store_vec4()
#define FETCH_BIAS(column) own_bias = bias_at(column);
#define missing_vector(nth) uvec4(0u)
#endif

uvec4 next_left[EACH], next_right[EACH];
uint left_exists, right_exists;  // a bit per vector
bool has_bit(uint bits, uint i) { return (bits >> i & 1u) != 0u; }
uint own_vector(uint i) { return gl_LocalInvocationID.x + i * GROUP; }

#ifdef INT8
#include "gemm/byte_sums.glsl"
#define LINES_ARE_COLUMNS true
#define TRANSPOSES false
#define RIGHT_VECTOR(i, from, k, exists) column_vector(own_vector(i) / VECTORS, k, exists)
#define RIGHT_PLACE(nth) ((nth) / VECTORS * LINE + (nth) % VECTORS)
#define LOAD_ROWS(to, column, k)
#define PUT_PAIRS ;
#else
READS_AS(2, bias, vec4);
WRITES_AS(3, y, vec4);

// b is stored by columns, each with all K steps, or by K steps, each with all columns. The latter may be
// transposed on the way into `stage`, if invocations load pairs of vectors. Must match
// lower_cooperative_matrix.cpp.
const uint BY_STEPS = 0u, BY_COLUMNS = 1u, BY_TRANSPOSED_STEPS = 2u;
layout(constant_id = 6) const uint RIGHT_ORDER = BY_COLUMNS;
const bool LINES_ARE_COLUMNS = RIGHT_ORDER == BY_COLUMNS;
const bool TRANSPOSES = RIGHT_ORDER == BY_TRANSPOSED_STEPS && EACH >= 2u;
#include "gemm/transposed_pairs.glsl"

// Defined by the kernel: columns `column` to `column` + 7 of K step k.
uvec4 row_vector(uint column, uint k, out bool exists);

#define TILE_VECTORS (TILE / FP16S)
uvec2 own_pair(uint i) { return pair_at(own_vector(i), TILE_VECTORS); }
uvec4 right_vector(uint i, uint from, uint k, out bool exists) {
  const uint nth = own_vector(i);
  if (LINES_ARE_COLUMNS) return column_vector(nth / VECTORS, k, exists);
  if (!TRANSPOSES) return row_vector(nth % TILE_VECTORS * FP16S, from + nth / TILE_VECTORS, exists);
  const uvec2 pair = own_pair(i / 2u);
  return row_vector(pair.y * FP16S, from + 2u * pair.x + i % 2u, exists);
}
#define RIGHT_VECTOR(i, from, k, exists) right_vector(i, from, k, exists)
#define PUT_PAIRS                                                                      \
  UNROLL for (uint i = 0u; i < EACH / 2u; ++i) {                                       \
    put_pair(OPERAND, LINE, own_pair(i), next_right[2u * i], next_right[2u * i + 1u]); \
  }
#define RIGHT_PLACE(nth)                                        \
  (LINES_ARE_COLUMNS ? (nth) / VECTORS * LINE + (nth) % VECTORS \
                     : (nth) / TILE_VECTORS * ROW_LINE + (nth) % TILE_VECTORS)
#define LOAD_ROWS(to, column, k) LOAD_RIGHT(to, OPERAND + (k)*ROW_LINE + (column) / FP16S, ROW_LINE, false)

vec4 bias_of(uint column, bool has_bias) { return where(has_bias, bias.v[has_bias ? column / 4u : 0u]); }
#endif

// GROUP is a multiple of a row: all vectors of an invocation start at the same K step.
void fetch(uint from) {
  const uint k = from + gl_LocalInvocationID.x % VECTORS * PER_VECTOR;
  left_exists = right_exists = 0u;
  UNROLL for (uint i = 0u; i < EACH; ++i) {
    bool exists;
    next_left[i] = left_vector(i, own_vector(i) / VECTORS, k, exists);
    left_exists |= uint(exists) << i;
    next_right[i] = RIGHT_VECTOR(i, from, k, exists);
    right_exists |= uint(exists) << i;
  }
}

void put() {
  UNROLL for (uint i = 0u; i < EACH; ++i) {
    const uint nth = own_vector(i);
    next_left[i] = mix(missing_vector(i), next_left[i], bvec4(has_bit(left_exists, i)));
    next_right[i] = mix(uvec4(0u), next_right[i], bvec4(has_bit(right_exists, i)));
    put_vector(nth / VECTORS * LINE + nth % VECTORS, next_left[i]);
    if (!TRANSPOSES) put_vector(OPERAND + RIGHT_PLACE(nth), next_right[i]);
#ifdef INT8
    add_bytes(i);
#endif
  }
  if (TRANSPOSES) PUT_PAIRS
}

const uint ROWS = TILE / DOWN / M, COLUMNS = TILE / ACROSS / N;  // matrices per subgroup

// Vectors of `stage` for sums, and how many matrices per subgroup fit into them at once.
#ifdef INT8
const uint ROOM = 2u * OPERAND - 4u * TILE;  // the sums of bytes follow
#else
const uint ROOM = 2u * OPERAND;
#endif
const uint AT_ONCE = DOWN * ACROSS * COLUMNS * M * N / 4u <= ROOM ? COLUMNS : 1u;

// Stores a vector of a row of a subgroup's matrices, AT_ONCE of them from column `at` on.
#define STORE_VECTOR(i, at, nth)                                              \
  if (SUBGROUP % VEC4S != 0u) {                                               \
    FETCH_BIAS(first_column + (at)*N + (nth) % VEC4S * 4u)                    \
  }                                                                           \
  store_vec4(SUM4_OF(STAGED(own + (nth))), first_row + (i)*M + (nth) / VEC4S, \
             first_column + (at)*N + (nth) % VEC4S * 4u)
// Stores the row. Loops are uniform if the invocations have equally many vectors: compilers drop those of one
// trip. If all vectors of an invocation have the same columns, their biases are loaded only once, outside the
// bounds check, where compilers would wait for each load.
#define STORE_MATRICES(i, at)                                                              \
  if (SUBGROUP % VEC4S == 0u) {                                                            \
    FETCH_BIAS(first_column + (at)*N + lane % VEC4S * 4u)                                  \
  }                                                                                        \
  UNROLL for (uint j = 0u; j < AT_ONCE; ++j) {                                             \
    STORE_SUMS(sums[(i)*COLUMNS + (at) + j], (own + j * (N / 4u)) * PARTS, VEC4S * PARTS); \
  }                                                                                        \
  barrier();                                                                               \
  if (M * VEC4S % SUBGROUP == 0u) {                                                        \
    for (uint from = 0u; from < M * VEC4S; from += SUBGROUP) {                             \
      STORE_VECTOR(i, at, from + lane);                                                    \
    }                                                                                      \
  } else {                                                                                 \
    for (uint nth = lane; nth < M * VEC4S; nth += SUBGROUP) {                              \
      STORE_VECTOR(i, at, nth);                                                            \
    }                                                                                      \
  }                                                                                        \
  barrier();

// Multiplies what is in `stage`.
#define MULTIPLY_SLICE(LOOP)                                                                               \
  LOOP for (uint k = 0u; k < SLICE; k += K) {                                                              \
    LEFT left[ROWS];                                                                                       \
    UNROLL for (uint i = 0u; i < ROWS; ++i) {                                                              \
      LOAD_LEFT(left[i], (first_row + i * M) * (LINE * PARTS) + k * PARTS / PER_VECTOR, LINE * PARTS);     \
    }                                                                                                      \
    UNROLL for (uint j = 0u; j < COLUMNS; ++j) {                                                           \
      const uint column = first_column + j * N;                                                            \
      RIGHT right;                                                                                         \
      if (LINES_ARE_COLUMNS || TRANSPOSES) {                                                               \
        LOAD_RIGHT(right, (OPERAND + column * LINE) * PARTS + k * PARTS / PER_VECTOR, LINE * PARTS, true); \
      } else {                                                                                             \
        LOAD_ROWS(right, column, k);                                                                       \
      }                                                                                                    \
      UNROLL for (uint i = 0u; i < ROWS; ++i) MULTIPLY(left[i], right, sums[i * COLUMNS + j]);             \
    }                                                                                                      \
  }

// Multiplies K steps [first, end). Must be called by the entire workgroup.
void multiply_tile(uint first, uint end) {
  const uint subgroup = OWN_SUBGROUP, lane = OWN_LANE;
  const uint first_row = subgroup / ACROSS * (ROWS * M), first_column = subgroup % ACROSS * (COLUMNS * N);
  SUMS sums[ROWS * COLUMNS];
  UNROLL for (uint i = 0u; i < ROWS * COLUMNS; ++i) sums[i] = NO_SUMS;
#ifdef INT8
  forget_bytes();
#endif
  begin_steps(first + gl_LocalInvocationID.x % VECTORS * PER_VECTOR);
  fetch(first);
  for (uint from = first; from < end; from += SLICE) {
    barrier();
    put();
    barrier();
    next_steps();
    fetch(from + SLICE);  // also past the last one: a branch here would wait for the loads
    if (FEW_INSTRUCTIONS) {
      MULTIPLY_SLICE(ROLLED)
    } else {
      MULTIPLY_SLICE(UNROLL)
    }
  }
  barrier();
  // Passes the sums through the same memory, to be independent of which invocation holds which element.
  const uint VEC4S = AT_ONCE * N / 4u;
  const uint own = subgroup * (M * VEC4S);
#ifdef INT8
  put_byte_sums(ROOM);
#endif
  UNROLL for (uint i = 0u; i < ROWS; ++i) {
    // Compilers would keep a loop of one trip, because of the loop in it.
    if (AT_ONCE == COLUMNS) {
      STORE_MATRICES(i, 0u)
    } else {
      UNROLL for (uint at = 0u; at < COLUMNS; at += AT_ONCE) { STORE_MATRICES(i, at) }
    }
  }
}

#endif
