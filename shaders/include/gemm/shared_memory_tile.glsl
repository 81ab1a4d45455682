// A tile of a GEMM that a workgroup of 256 computes: 64 rows by 64 columns, of which each invocation has four
// by four. Slices of 16 steps along the inner dimension lie in shared memory. For ordinary GPUs.
#ifndef NNRT_SHARED_MEMORY_TILE
#define NNRT_SHARED_MEMORY_TILE
#include "gemm/gemm_tile.glsl"

const uint TILE_ROWS = 64u, TILE_VEC4S = 16u, SLICE = 16u;

shared vec4 left_slice[SLICE * TILE_ROWS / 4u];  // [step] of vec4 of rows
shared vec4 right_slice[SLICE * TILE_VEC4S];     // [step] of vec4 of columns

// The kernel defines these, 0 outside of the operands: steps k to k + 3 of the row of begin_row(), and
// columns 4 four to 4 four + 3 of step k, both counted in the tile's own columns.
void begin_row(uint row);
vec4 left_vec4(uint k);
vec4 right_vec4(uint k, uint four);

// The position of the invocation: its first row and its vec4 of columns in the tile.
uint own_row() { return gl_LocalInvocationID.x / TILE_VEC4S * 4u; }
uint own_vec4() { return gl_LocalInvocationID.x % TILE_VEC4S; }

// The sums of rows own_row() to own_row() + 3, in columns own_vec4(). All of the group calls it.
mat4 multiply_tile(uint inner) {
  const uint id = gl_LocalInvocationID.x;
  const uint load_row = id / 4u, load_step = id % 4u * 4u;
  const uint row_vec4 = own_row() / 4u, four = own_vec4();
  begin_row(load_row);
  vec4 s0 = vec4(0.0), s1 = s0, s2 = s0, s3 = s0;
  for (uint from = 0u; from < inner; from += SLICE) {
    const vec4 left = left_vec4(from + load_step);
    const vec4 right = right_vec4(from + id / TILE_VEC4S, id % TILE_VEC4S);
    barrier();
    const uint at = load_step * (TILE_ROWS / 4u) + load_row / 4u;
    left_slice[at][load_row % 4u] = left.x;
    left_slice[at + TILE_ROWS / 4u][load_row % 4u] = left.y;
    left_slice[at + TILE_ROWS / 2u][load_row % 4u] = left.z;
    left_slice[at + TILE_ROWS / 4u * 3u][load_row % 4u] = left.w;
    right_slice[id] = right;
    barrier();
    for (uint k = 0u; k < SLICE; ++k) {
      const vec4 a = left_slice[k * (TILE_ROWS / 4u) + row_vec4];
      const vec4 b = right_slice[k * TILE_VEC4S + four];
      s0 += a.x * b;
      s1 += a.y * b;
      s2 += a.z * b;
      s3 += a.w * b;
    }
  }
  return mat4(s0, s1, s2, s3);
}

#endif
