// conv2d.comp for GPUs: a workgroup computes a tile of pixels x channels of a group through shared memory.
// Same operands and push constants. With split-K (`part` > 0), each workgroup in z covers `part` elements of
// K and stores partial sums.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "conv/conv_push.glsl"
#include "gemm/shared_memory_tile.glsl"

uint first_of_tile, first_part, block, b_from, inner;
ivec3 own_corners[MAX_LEFTS];
uvec3 position, slice_step;

void begin_row(uint nth, uint row) { own_corners[nth] = corner(min(first_of_tile + row, pixels - 1u)); }

void begin_steps(uint k) {
  position = position_of(k / WIDTH, group_packs);
  slice_step = position_of(SLICE / WIDTH, group_packs);
}
void next_steps() { position = moved(position, slice_step, group_packs); }

// The PACK of the input at step k.
PACK left_part(uint nth, uint k, uvec3 at, out bool exists) {
  const uint pixel = find(own_corners[nth], at);
  exists = k < inner && pixel != kNone;
  return A(exists ? pixel * pixel_packs + first_part + at.z - a_first : 0u);
}

vec4 left_vec4(uint nth, uint k, out bvec4 exists) {
#ifdef VEC4
  bool all_exist;
  const vec4 parts = left_part(nth, k, position, all_exist);
  exists = bvec4(all_exist);
  return parts;
#else
  vec4 parts;
  uvec3 at = position;
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    bool is_there;
    parts[i] = left_part(nth, k + i, at, is_there);
    exists[i] = is_there;
    at = moved(at, uvec3(0u, 0u, 1u), group_packs);
  }
  return parts;
#endif
}

// The next group's blocks follow this group's, but belong to other tiles.
vec4 right_vec4(uint k, uint four, out bool exists) {
  exists = k < inner;
  const uint nth = min(block + four / VEC4S, (columns + COLUMNS - 1u) / COLUMNS - 1u);
  return B(b_from + (nth * inner + min(k, inner - 1u)) * VEC4S + four % VEC4S);
}

// Workgroups are ordered by pixels, then by channels, then by groups.
void main() {
  const uint tiles = (pixels - first_pixel + TILE_ROWS - 1u) / TILE_ROWS;
  const uint nth = gl_WorkGroupID.x / tiles;
  const uint group_blocks = (columns + COLUMNS - 1u) / COLUMNS;
  const uint group_tiles = (group_blocks + TILE_VEC4S / VEC4S - 1u) / (TILE_VEC4S / VEC4S);
  const uint group = nth / group_tiles;
  first_of_tile = first_pixel + (gl_WorkGroupID.x - nth * tiles) * TILE_ROWS;
  first_part = group * group_packs;
  block = (nth - group * group_tiles) * (TILE_VEC4S / VEC4S);
  inner = kernel_height * kernel_width * group_packs * WIDTH;
  b_from = b_first + group * group_blocks * inner * VEC4S;

  const uint first = part * gl_WorkGroupID.z;
  multiply_tile(first, part == 0u ? inner : min(first + part, inner));
  const uint channel = group * columns;
  const uint y_from = y_first + gl_WorkGroupID.z * y_part + channel;
  [[unroll]] for (uint j = 0u; j < COLUMN_VEC4S; ++j) {
    const uint column = block * COLUMNS + vec4_of(j) * 4u;
    if (column >= columns) continue;
    const vec4 start = bias_vec4(channel + column, channel + columns - 1u, has_bias != 0u);
    [[unroll]] for (uint i = 0u; i < 4u * ROW_VEC4S; ++i) {
      const uint r = first_of_tile + row_of(i);
      if (r < pixels)
        store(sums[i * MAX_VEC4S + j] + start, channel, column, columns, y_from + r * y_row + column,
              EPILOGUE_ARGS);
    }
  }
}
