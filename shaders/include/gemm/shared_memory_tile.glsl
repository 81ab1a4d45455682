// A GEMM tile computed by a workgroup: TILE_ROWS x TILE_COLUMNS. An invocation has ROW_VEC4S x COLUMN_VEC4S
// squares of 4x4, spread over the tile so that adjacent invocations read adjacent values. K slices of 16
// steps are double-buffered in shared memory: while one is multiplied, the next one is fetched. Loads are
// unconditional, from clamped places, and zeroed when they are put into shared memory: a select behind a load
// would wait for it before the multiplication. For GPUs.
#ifndef NNRT_SHARED_MEMORY_TILE
#define NNRT_SHARED_MEMORY_TILE
#extension GL_EXT_control_flow_attributes : require
#include "gemm/gemm_tile.glsl"

layout(constant_id = 6) const uint TILE_ROWS = 32;
layout(constant_id = 7) const uint TILE_COLUMNS = 32;
layout(constant_id = 8) const uint ROW_VEC4S = 1;
layout(constant_id = 9) const uint COLUMN_VEC4S = 1;

const uint SLICE = CHAIN;
const uint TILE_VEC4S = TILE_COLUMNS / 4u;
const uint DOWN = TILE_ROWS / 4u / ROW_VEC4S, ACROSS = TILE_VEC4S / COLUMN_VEC4S;  // invocations
const uint GROUP = DOWN * ACROSS;
// One more avoids bank conflicts; the largest tile fits in 32 KiB only without it.
const uint LEFT_LINE = TILE_ROWS / 4u + (TILE_ROWS < 128u ? 1u : 0u);
const uint LEFTS = TILE_ROWS * SLICE / 4u / GROUP,
           RIGHTS = TILE_COLUMNS * SLICE / 4u / GROUP;  // fetched per invocation
const uint MAX_LEFTS = 2u, MAX_RIGHTS = 4u, MAX_VEC4S = 2u;

// Variant HALF keeps slices in fp16, and sums the products of a slice in fp16.
shared FACTOR left_slices[2u * SLICE * LEFT_LINE];    // [K step] of four rows
shared FACTOR right_slices[2u * SLICE * TILE_VEC4S];  // [K step] of four columns

// Defined by the kernel: K steps k to k + 3 of the row from begin_row(nth, row), and columns 4 four to
// 4 four + 3 of K step k; columns are relative to the tile. Any value unless `exists`, but always loaded. For
// rows, `exists` has a bit per PACK. All rows of an invocation are loaded at the same k: begin_steps() gets
// the first one, next_steps() adds SLICE.
void begin_row(uint nth, uint row);
void begin_steps(uint k);
void next_steps();
vec4 left_vec4(uint nth, uint k, out uint exists);
vec4 right_vec4(uint k, uint four, out bool exists);

FACTOR next_left[MAX_LEFTS], next_right[MAX_RIGHTS];
uint left_exists, right_exists;         // a bit per PACK of a vec4, and per vec4
vec4 sums[4u * MAX_VEC4S * MAX_VEC4S];  // row i of the invocation, vec4 j: sums[i * MAX_VEC4S + j]

// The tile row, and the vec4 of tile columns, of a sum.
uint row_of(uint i) { return (gl_LocalInvocationID.x / ACROSS + i / 4u * DOWN) * 4u + i % 4u; }
uint vec4_of(uint j) { return gl_LocalInvocationID.x % ACROSS + j * ACROSS; }

#ifdef VEC4
#define PACKS 1u  // per vec4
FACTOR existing(FACTOR v, uint exists) { return where((exists & 1u) != 0u, v); }
#else
#define PACKS 4u
vec4 existing(vec4 v, uint exists) {
  return mix(vec4(0.0), v, notEqual(exists & uvec4(1u, 2u, 4u, 8u), uvec4(0u)));
}
#endif

void fetch(uint from) {
  left_exists = right_exists = 0u;
  [[unroll]] for (uint i = 0u; i < LEFTS; ++i) {
    uint exists;
    next_left[i] = FACTOR_OF(left_vec4(i, from + gl_LocalInvocationID.x % 4u * 4u, exists));
    left_exists |= exists << PACKS * i;
  }
  [[unroll]] for (uint i = 0u; i < RIGHTS; ++i) {
    const uint nth = gl_LocalInvocationID.x + i * GROUP;
    bool exists;
    next_right[i] = FACTOR_OF(right_vec4(from + nth / TILE_VEC4S, nth % TILE_VEC4S, exists));
    right_exists |= uint(exists) << i;
  }
}

void put(uint slice) {
  [[unroll]] for (uint i = 0u; i < LEFTS; ++i) {
    next_left[i] = existing(next_left[i], left_exists >> PACKS * i);
    const uint nth = gl_LocalInvocationID.x + i * GROUP;
    const uint row = nth / 4u, at = slice * (SLICE * LEFT_LINE) + nth % 4u * 4u * LEFT_LINE + row / 4u;
    left_slices[at][row % 4u] = next_left[i].x;
    left_slices[at + LEFT_LINE][row % 4u] = next_left[i].y;
    left_slices[at + 2u * LEFT_LINE][row % 4u] = next_left[i].z;
    left_slices[at + 3u * LEFT_LINE][row % 4u] = next_left[i].w;
  }
  [[unroll]] for (uint i = 0u; i < RIGHTS; ++i) {
    right_slices[slice * (SLICE * TILE_VEC4S) + gl_LocalInvocationID.x + i * GROUP] =
        where((right_exists >> i & 1u) != 0u, next_right[i]);
  }
}

void add_slice(uint slice) {
#ifdef HALF
  f16vec4 chain[4u * MAX_VEC4S * MAX_VEC4S];
  [[unroll]] for (uint i = 0u; i < 4u * MAX_VEC4S * MAX_VEC4S; ++i) chain[i] = f16vec4(0.0);
#define CHAIN_SUMS chain
#else
#define CHAIN_SUMS sums
#endif
  [[unroll]] for (uint k = 0u; k < SLICE; ++k) {
    const uint left = (slice * SLICE + k) * LEFT_LINE + gl_LocalInvocationID.x / ACROSS;
    const uint right = (slice * SLICE + k) * TILE_VEC4S + gl_LocalInvocationID.x % ACROSS;
    FACTOR b[MAX_VEC4S];
    [[unroll]] for (uint j = 0u; j < COLUMN_VEC4S; ++j) b[j] = right_slices[right + j * ACROSS];
    [[unroll]] for (uint i = 0u; i < ROW_VEC4S; ++i) {
      const FACTOR a = left_slices[left + i * DOWN];
      [[unroll]] for (uint j = 0u; j < COLUMN_VEC4S; ++j) {
        CHAIN_SUMS[i * 4u * MAX_VEC4S + j] += a.x * b[j];
        CHAIN_SUMS[(i * 4u + 1u) * MAX_VEC4S + j] += a.y * b[j];
        CHAIN_SUMS[(i * 4u + 2u) * MAX_VEC4S + j] += a.z * b[j];
        CHAIN_SUMS[(i * 4u + 3u) * MAX_VEC4S + j] += a.w * b[j];
      }
    }
  }
#ifdef HALF
  [[unroll]] for (uint i = 0u; i < 4u * ROW_VEC4S; ++i) {
    [[unroll]] for (uint j = 0u; j < COLUMN_VEC4S; ++j) {
      sums[i * MAX_VEC4S + j] += vec4(chain[i * MAX_VEC4S + j]);
    }
  }
#endif
}

// Accumulates K steps [first, end). Must be called by the entire workgroup.
void multiply_tile(uint first, uint end) {
  [[unroll]] for (uint i = 0u; i < LEFTS; ++i) begin_row(i, (gl_LocalInvocationID.x + i * GROUP) / 4u);
  [[unroll]] for (uint i = 0u; i < 4u * MAX_VEC4S * MAX_VEC4S; ++i) sums[i] = vec4(0.0);
  begin_steps(first + gl_LocalInvocationID.x % 4u * 4u);
  fetch(first);
  barrier();  // the previous matrix's slices may still be in use
  put(0u);
  barrier();
  uint slice = 0u;
  for (uint from = first; from < end; from += SLICE) {
    next_steps();
    fetch(from + SLICE);  // also past the last one: a branch here would wait for the loads
    add_slice(slice);
    slice = 1u - slice;
    put(slice);  // unconditional too: compilers would sink the loads below the multiplication
    barrier();
  }
}

#endif
