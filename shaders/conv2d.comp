// CONV2D and CONV2D_TRANSPOSE on NHWC: the rows of the tile are pixels of the output, the columns channels of
// one group. b is packed, [group][columns / 16][kernel height][kernel width][channels] of sixteen columns. A
// dispatch computes some pixels, one behind the other, and some blocks of sixteen columns.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "tile.glsl"

layout(constant_id = 5) const bool TRANSPOSED = false;

layout(push_constant) uniform Push {
  uint pixels;  // behind the last one, of the output over the whole batch
  uint out_height, out_width, in_height, in_width;
  uint pixel_parts, group_parts;  // of a pixel of a, and those a group reads
  uint columns, groups;           // columns of a group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  uint first_pixel, first_block, blocks;
  uint a_first;  // the part of the input where `a` begins
  uint b_first;  // where the first block begins in `b`
  uint has_bias;
  FINISH
};

// Where the window of an output pixel begins: its row, its column and the first pixel of its image.
ivec3 corner(uint pixel) {
  const uint image = pixel / (out_height * out_width);
  const uint rest = pixel - image * (out_height * out_width);
  const ivec2 at = ivec2(rest / out_width, rest % out_width);
  const ivec2 first =
      TRANSPOSED ? at + ivec2(top, left) : at * ivec2(stride_height, stride_width) - ivec2(top, left);
  return ivec3(first, image * in_height * in_width);
}

const uint kNone = 0xffffffffu;

// The input pixel under a tap, or kNone. Without branches, which would take the drivers long to compile.
uint find(ivec3 corner, ivec2 tap) {
  ivec2 at = corner.xy + (TRANSPOSED ? -tap : tap);
  bvec4 inside = bvec4(true);
  if (TRANSPOSED) {
    const ivec2 stride = ivec2(stride_height, stride_width);
    const ivec2 quotient = at / stride;
    inside.xy = equal(quotient * stride, at);
    at = quotient;
  }
  inside.zw = lessThan(uvec2(at), uvec2(in_height, in_width));
  const uint pixel = uint(corner.z + at.x * int(in_width) + at.y);
  return all(inside) ? pixel : kNone;
}

#define CORNER(i) const ivec3 corner##i = corner(min(row + i, pixels - 1u));
#define TAKE(i)                               \
  const uint pixel##i = find(corner##i, tap); \
  const bool inside##i = pixel##i != kNone;   \
  const uint a##i = inside##i ? pixel##i * pixel_parts + first_part - a_first : 0u;
#define FETCH(i) const PART e##i = where(inside##i, A(a##i + k));

// Invocations side by side have pixels one behind the other, then the next columns.
void main() {
  const uint tiles = (pixels - first_pixel + ROWS - 1u) / ROWS;
  const uint nth = gl_GlobalInvocationID.x / tiles;
  const uint row = first_pixel + (gl_GlobalInvocationID.x - nth * tiles) * ROWS;
  if (nth >= blocks) return;
  const uint group_blocks = (columns + COLUMNS - 1u) / COLUMNS;
  const uint group = (first_block + nth) / group_blocks;
  const uint column = (first_block + nth - group * group_blocks) * COLUMNS;
  const uint first_part = group * group_parts;

  uint at = b_first + nth * (kernel_height * kernel_width * group_parts * WIDTH * FOURS);
  EACH_ROW(CORNER)
  const uint channel = group * columns;
  BIASES(channel + column, channel + columns - 1u, has_bias != 0u)
  EACH_ROW(ACCUMULATORS)
  for (uint u = 0u; u < kernel_height; ++u) {
    for (uint v = 0u; v < kernel_width; ++v) {
      const ivec2 tap = ivec2(u * dilation_height, v * dilation_width);
      EACH_ROW(TAKE)
      for (uint k = 0u; k < group_parts; ++k) {
        EACH_ROW(FETCH)
        ADD_COLUMNS(at, FOURS)
        at += WIDTH * FOURS;
      }
    }
  }

  const vec4 tile[] = TILE;
  for (uint i = 0u; i < FOURS * ROWS; ++i) {
    const uint r = row + i / FOURS;
    const uint c = column + i % FOURS * 4u;
    if (r < pixels && c < columns)
      store(tile[i], c, columns, r * columns * groups + channel + c, HOW);
  }
}
