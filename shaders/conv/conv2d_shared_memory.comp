// conv2d.comp for ordinary GPUs: a workgroup computes 64 pixels by 64 channels of a group by way of shared
// memory. Operands and push constants are the same.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "conv/conv_push.glsl"
#include "gemm/shared_memory_tile.glsl"

uint first_of_tile, first_part, block, b_from, inner;
ivec3 own_corner;

void begin_row(uint row) { own_corner = corner(min(first_of_tile + row, pixels - 1u)); }

// A PACK of the input at step k.
PACK left_part(uint k) {
  const uint part = min(k, inner - 1u) / WIDTH;
  const uint cell = part / group_packs;
  const ivec2 tap = ivec2(cell / kernel_width * dilation_height, cell % kernel_width * dilation_width);
  const uint pixel = find(own_corner, tap);
  const bool is_there = k < inner && pixel != kNone;
  return where(is_there, A(is_there ? pixel * pixel_packs + first_part + part % group_packs - a_first : 0u));
}

vec4 left_vec4(uint k) {
#ifdef VEC4
  return left_part(k);
#else
  return vec4(left_part(k), left_part(k + 1u), left_part(k + 2u), left_part(k + 3u));
#endif
}

// Blocks of the next group are behind those of this one, but belong to other tiles.
vec4 right_vec4(uint k, uint four) {
  const uint nth = block + four / VEC4S;
  const bool is_there = k < inner && nth < (columns + COLUMNS - 1u) / COLUMNS;
  return where(is_there, B(is_there ? b_from + (nth * inner + k) * VEC4S + four % VEC4S : 0u));
}

// Groups side by side have pixels one behind the other, then the next channels, then the next group's.
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

  const mat4 sums = multiply_tile(inner);
  const uint column = block * COLUMNS + own_vec4() * 4u;
  const uint channel = group * columns;
  if (column >= columns) return;
  const vec4 start = bias_vec4(channel + column, channel + columns - 1u, has_bias != 0u);
  for (uint i = 0u; i < 4u; ++i) {
    const uint r = first_of_tile + own_row() + i;
    if (r < pixels)
      store(sums[i] + start, column, columns, y_first + r * y_row + channel + column, EPILOGUE_ARGS);
  }
}
