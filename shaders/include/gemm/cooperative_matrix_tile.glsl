// A tile of a GEMM of fp16 values that a workgroup of four subgroups computes by their matrices: 64 rows by
// 64 columns, in variant LARGE 128 by 128, in variant SMALL 32 by 32; two subgroups are down and two across.
// A slice of 64 steps along the inner dimension lies in shared memory: while it is multiplied the next one is
// fetched into registers.
#ifndef NNRT_COOPERATIVE_MATRIX_TILE
#define NNRT_COOPERATIVE_MATRIX_TILE
#define F32
#define VEC4
#define POSTOP
#extension GL_EXT_control_flow_attributes : require
#ifndef EMULATED
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#include "gemm/gemm_epilogue.glsl"

#if defined(SMALL)
const uint TILE = 32u;
#elif defined(LARGE)
const uint TILE = 128u;
#else
const uint TILE = 64u;
#endif
const uint SLICE = 64u, DOWN = 2u, ACROSS = 2u;
const uint FP16S = 8u;  // of a vector of 16 bytes
#ifdef EMULATED
const uint GAP = 0u;  // all there is room for
#else
const uint GAP = 1u;  // between lines, which then begin in other banks
#endif
const uint LINE = SLICE / FP16S + GAP, ROW_LINE = TILE / FP16S + GAP;  // ROW_LINE: of a step of b
const uint OPERAND = max(TILE * LINE, SLICE* ROW_LINE);

shared uvec4 stage[2u * OPERAND];
#include "gemm/cooperative_matrix.glsl"
const uint GROUP = DOWN * ACROSS * SUBGROUP, EACH = TILE * SLICE / FP16S / GROUP;

READS4(0, a);
READS4(1, b);
READS_AS(2, bias, vec4);
WRITES_AS(3, y, vec4);

// Lines of b are its columns, each with all steps; else its steps, each with all columns.
layout(constant_id = 6) const bool LINES_ARE_COLUMNS = true;

// The kernel defines these, 0 behind the last step: steps k to k + 7 of a row of the tile; those of a column,
// or of step k columns `column` to `column` + 7 of the tile. `nth` is the number of the vector among those of
// the invocation, whose rows and columns are always the same.
uvec4 left_vec8(uint nth, uint row, uint k);
uvec4 column_vec8(uint column, uint k);
uvec4 row_vec8(uint column, uint k);
void store_vec4(vec4 sum, uint row, uint column);

uvec4 next_left[EACH], next_right[EACH];

void fetch(uint from) {
  for (uint i = 0u; i < EACH; ++i) {
    const uint nth = gl_LocalInvocationID.x + i * GROUP;
    const uint line = nth / (SLICE / FP16S), k = nth % (SLICE / FP16S) * FP16S;
    next_left[i] = left_vec8(i, line, from + k);
    next_right[i] = LINES_ARE_COLUMNS ? column_vec8(line, from + k)
                                      : row_vec8(nth % (TILE / FP16S) * FP16S, from + nth / (TILE / FP16S));
  }
}

void put() {
  for (uint i = 0u; i < EACH; ++i) {
    const uint nth = gl_LocalInvocationID.x + i * GROUP;
    const uint at = nth / (SLICE / FP16S) * LINE + nth % (SLICE / FP16S);
    stage[at] = next_left[i];
    stage[OPERAND + (LINES_ARE_COLUMNS ? at : nth / (TILE / FP16S) * ROW_LINE + nth % (TILE / FP16S))] =
        next_right[i];
  }
}

const uint ROWS = TILE / DOWN / M, COLUMNS = TILE / ACROSS / N;  // matrices of a subgroup

// Computes steps [first, end). All of the group calls it.
void multiply_tile(uint first, uint end) {
  const uint subgroup = OWN_SUBGROUP, lane = OWN_LANE;
  const uint first_row = subgroup / ACROSS * (ROWS * M), first_column = subgroup % ACROSS * (COLUMNS * N);
  SUMS sums[ROWS * COLUMNS];
  for (uint i = 0u; i < ROWS * COLUMNS; ++i) sums[i] = NO_SUMS;
  fetch(first);
  for (uint from = first; from < end; from += SLICE) {
    barrier();
    put();
    barrier();
    if (from + SLICE < end) fetch(from + SLICE);
    for (uint k = 0u; k < SLICE; k += K) {
      LEFT left[ROWS];
      for (uint i = 0u; i < ROWS; ++i) {
        LOAD_LEFT(left[i], (first_row + i * M) * LINE + k / FP16S, LINE);
      }
      for (uint j = 0u; j < COLUMNS; ++j) {
        const uint column = first_column + j * N;
        RIGHT right;
        if (LINES_ARE_COLUMNS) {
          LOAD_RIGHT(right, OPERAND + column * LINE + k / FP16S, LINE, true);
        } else {
          LOAD_RIGHT(right, OPERAND + k * ROW_LINE + column / FP16S, ROW_LINE, false);
        }
        for (uint i = 0u; i < ROWS; ++i) MULTIPLY(left[i], right, sums[i * COLUMNS + j]);
      }
    }
  }
  barrier();
  // The sums by way of the same memory, where it no longer matters which invocation holds what.
  const uint VEC4S = COLUMNS * N / 4u;
  const uint own = subgroup * (M * VEC4S);
  for (uint i = 0u; i < ROWS; ++i) {
    for (uint j = 0u; j < COLUMNS; ++j) STORE_SUMS(sums[i * COLUMNS + j], own + j * (N / 4u), VEC4S);
    barrier();
    for (uint nth = lane; nth < M * VEC4S; nth += SUBGROUP) {
      store_vec4(uintBitsToFloat(stage[own + nth]), first_row + i * M + nth / VEC4S,
                 first_column + nth % VEC4S * 4u);
    }
    barrier();
  }
}

vec4 biased(vec4 sum, uint column, bool has_bias) {
  return sum + where(has_bias, bias.v[has_bias ? column / 4u : 0u]);
}

#endif
