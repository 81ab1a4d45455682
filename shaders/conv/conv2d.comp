// CONV2D and CONV2D_TRANSPOSE in NHWC. Rows of the tile are output pixels, columns are channels of one group.
// b is packed as [group][columns / 16][kernel height][kernel width][channels] of sixteen columns. A dispatch
// computes a range of pixels and a range of blocks of sixteen columns.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "conv/conv_push.glsl"

#define CORNER(i) const ivec3 corner##i = corner(min(row + ROW_READ(i), pixels - 1u));
#define TAKE(i)                               \
  const uint pixel##i = find(corner##i, tap); \
  const bool inside##i = pixel##i != kNone;   \
  const uint a##i = inside##i ? pixel##i * pixel_packs + first_part - a_first : 0u;
#define FETCH(i) const LEFT e##i = where(inside##i, FACTOR_OF(A(a##i + k)));

// Tiles are ordered by pixels, then by columns.
void main() {
  const uint tiles = (pixels - first_pixel + ROWS - 1u) / ROWS;
  const uint which = gl_GlobalInvocationID.x / INVOCATIONS;
  const uint nth = which / tiles;
  const uint row = first_pixel + (which - nth * tiles) * ROWS;
  const uint group_blocks = (columns + COLUMNS - 1u) / COLUMNS;
  const uint group_tiles = (group_blocks + BLOCKS - 1u) / BLOCKS;
  const uint group = (first_block + nth) / group_tiles;
  const uint block = (first_block + nth - group * group_tiles) * BLOCKS;  // within the group
  const uint from_first = group * group_blocks + block - first_block;
  if (from_first >= blocks) return;
  const uint column = block * COLUMNS;
  const uint first_part = group * group_packs;

  uint at = b_first + (from_first + OWN_BLOCK) * (kernel_height * kernel_width * group_packs * WIDTH * VEC4S);
  EACH_READ(CORNER)
  const uint channel = group * columns;
  SUMS(channel + column, channel + columns - 1u, has_bias != 0u)
  for (uint u = 0u; u < kernel_height; ++u) {
    for (uint v = 0u; v < kernel_width; ++v) {
      const ivec2 tap = ivec2(u * dilation_height, v * dilation_width);
      EACH_READ(TAKE)
      for (uint k = 0u; k < group_packs; ++k) {
        ADD_COLUMNS(at, VEC4S)
        at += WIDTH * VEC4S;
        AFTER_PACK(k)
      }
      AFTER_PACKS
    }
  }

  const vec4 tile[] = TILE;
  FOR_RESULTS(i) {
    const uint r = row + RESULT_ROW(i);
    const uint c = column + RESULT_COLUMN(i);
    if (r < pixels && c < columns)
      store(tile[i], channel, c, columns, y_first + r * y_row + channel + c, EPILOGUE_ARGS);
  }
}
