// A tile of a product of halves that a workgroup of 256 computes by matrices of subgroups: 128 rows by 128
// columns, or in variant SMALL 64 by 64; eight subgroups share it, four down and two across. Slices of 32
// steps along the inner dimension lie in shared memory, twice: while one is multiplied the next one is
// fetched.
#ifndef NNRT_MATRIX_TILE
#define NNRT_MATRIX_TILE
#define F32
#define VEC4
#define THEN
#ifndef EMULATED
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#include "finish.glsl"

#ifdef SMALL
const uint TILE = 64u;
#else
const uint TILE = 128u;
#endif
const uint GROUP = 256u, SLICE = 32u, DOWN = 4u, ACROSS = 2u;
const uint HALVES = 8u;  // of a vector of 16 bytes
#ifdef EMULATED
const uint GAP = 0u;  // all there is room for
#else
const uint GAP = 1u;  // between lines, which then begin in other banks
#endif
const uint LINE = SLICE / HALVES + GAP, ROW_LINE = TILE / HALVES + GAP;  // ROW_LINE: of a step of b
const uint OPERAND = TILE * LINE, EACH = TILE * SLICE / HALVES / GROUP;

shared uvec4 stage[4u * OPERAND];
#include "matrices.glsl"

READS4(0, a);
READS4(1, b);
READS_AS(2, bias, vec4);
WRITES_AS(3, y, vec4);

// Lines of b are its columns, each with all steps; else its steps, each with all columns.
layout(constant_id = 6) const bool LINES_ARE_COLUMNS = true;

// What the kernel defines, 0 behind the last step: steps k to k + 7 of a row of the tile; those of a column,
// or of step k columns `column` to `column` + 7 of the tile. `nth` is the number of the vector among those of
// the invocation, whose rows and columns are always the same.
uvec4 left_eight(uint nth, uint row, uint k);
uvec4 column_eight(uint column, uint k);
uvec4 step_eight(uint column, uint k);
void finish_four(vec4 sum, uint row, uint column);

uvec4 next_left[EACH], next_right[EACH];

void fetch(uint from) {
  for (uint i = 0u; i < EACH; ++i) {
    const uint nth = gl_LocalInvocationID.x + i * GROUP;
    const uint line = nth / (SLICE / HALVES), k = nth % (SLICE / HALVES) * HALVES;
    next_left[i] = left_eight(i, line, from + k);
    next_right[i] = LINES_ARE_COLUMNS
                        ? column_eight(line, from + k)
                        : step_eight(nth % (TILE / HALVES) * HALVES, from + nth / (TILE / HALVES));
  }
}

void put(uint place) {
  for (uint i = 0u; i < EACH; ++i) {
    const uint nth = gl_LocalInvocationID.x + i * GROUP;
    const uint at = nth / (SLICE / HALVES) * LINE + nth % (SLICE / HALVES);
    stage[place + at] = next_left[i];
    stage[place + OPERAND +
          (LINES_ARE_COLUMNS ? at : nth / (TILE / HALVES) * ROW_LINE + nth % (TILE / HALVES))] =
        next_right[i];
  }
}

const uint ROWS = TILE / DOWN / SIDE, COLUMNS = TILE / ACROSS / SIDE;  // matrices of a subgroup

// All of the group calls it.
void multiply_tile(uint inner) {
  const uint subgroup = OWN_SUBGROUP, lane = OWN_LANE;
  const uint first_row = subgroup / ACROSS * (ROWS * SIDE),
             first_column = subgroup % ACROSS * (COLUMNS * SIDE);
  SUMS sums[ROWS * COLUMNS];
  for (uint i = 0u; i < ROWS * COLUMNS; ++i) sums[i] = NO_SUMS;
  fetch(0u);
  put(0u);
  barrier();
  uint place = 0u;
  for (uint from = 0u; from < inner; from += SLICE) {
    const bool goes_on = from + SLICE < inner;
    if (goes_on) fetch(from + SLICE);
    for (uint k = 0u; k < SLICE; k += SIDE) {
      LEFT left[ROWS];
      for (uint i = 0u; i < ROWS; ++i) {
        LOAD_LEFT(left[i], place + (first_row + i * SIDE) * LINE + k / HALVES, LINE);
      }
      for (uint j = 0u; j < COLUMNS; ++j) {
        const uint column = first_column + j * SIDE;
        RIGHT right;
        if (LINES_ARE_COLUMNS) {
          LOAD_RIGHT(right, place + OPERAND + column * LINE + k / HALVES, LINE, true);
        } else {
          LOAD_RIGHT(right, place + OPERAND + k * ROW_LINE + column / HALVES, ROW_LINE, false);
        }
        for (uint i = 0u; i < ROWS; ++i) MULTIPLY(left[i], right, sums[i * COLUMNS + j]);
      }
    }
    place = 2u * OPERAND - place;
    if (goes_on) put(place);
    barrier();
  }
  // The sums by way of the same memory, where it no longer matters which invocation holds what.
  const uint FOURS = COLUMNS * SIDE / 4u;
  const uint own = subgroup * (SIDE * FOURS);
  for (uint i = 0u; i < ROWS; ++i) {
    for (uint j = 0u; j < COLUMNS; ++j) STORE_SUMS(sums[i * COLUMNS + j], own + j * (SIDE / 4u), FOURS);
    barrier();
    for (uint nth = lane; nth < SIDE * FOURS; nth += SUBGROUP) {
      finish_four(uintBitsToFloat(stage[own + nth]), first_row + i * SIDE + nth / FOURS,
                  first_column + nth % FOURS * 4u);
    }
    barrier();
  }
}

vec4 biased(vec4 sum, uint column, bool has_bias) {
  return sum + where(has_bias, bias.v[has_bias ? column / 4u : 0u]);
}

#endif
