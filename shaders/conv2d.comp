// CONV2D and CONV2D_TRANSPOSE on NHWC: the rows of the tile are pixels of the output, the columns channels of
// one group. b is packed, [group][columns / 4][kernel height][kernel width][channels] of four columns.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "tile.glsl"

layout(constant_id = 5) const bool PADDED = true;  // some window reaches outside of the input
layout(constant_id = 6) const bool TRANSPOSED = false;

layout(push_constant) uniform Push {
  uint pixels;  // of the output, over the whole batch
  uint out_height, out_width, in_height, in_width;
  uint pixel_parts, group_parts;  // of a pixel of a, and those a group reads
  uint columns, groups;           // columns of a group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
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
  if (PADDED) inside.zw = lessThan(uvec2(at), uvec2(in_height, in_width));
  const uint pixel = uint(corner.z + at.x * int(in_width) + at.y);
  return all(inside) ? pixel : kNone;
}

#define TAKE(i)                                 \
  const bool inside##i = pixels_at[i] != kNone; \
  const uint a##i = inside##i ? pixels_at[i] * pixel_parts + first_part : 0u;
#define ADD(i) ACCUMULATE(i, PADDED ? where(inside##i, a.v[a##i + k]) : a.v[a##i + k])

void main() {
  const uint row = gl_GlobalInvocationID.x * ROWS;
  const uint pairs = (columns + COLUMNS - 1u) / COLUMNS;
  const uint group = gl_GlobalInvocationID.y / pairs;
  const uint column = (gl_GlobalInvocationID.y - group * pairs) * COLUMNS;
  if (row >= pixels || group >= groups) return;
  const uint first_part = group * group_parts;
  const uint inner = kernel_height * kernel_width * group_parts * WIDTH;

  uint p_at = (group * ((columns + 3u) / 4u) + column / 4u) * inner;
  uint q_at = column + 4u < columns ? p_at + inner : p_at;
  ivec3 corners[ROWS];
  for (uint i = 0u; i < ROWS; ++i) corners[i] = corner(min(row + i, pixels - 1u));
  EACH_ROW(ACCUMULATORS)
  for (uint u = 0u; u < kernel_height; ++u) {
    for (uint v = 0u; v < kernel_width; ++v) {
      const ivec2 tap = ivec2(u * dilation_height, v * dilation_width);
      uint pixels_at[ROWS];
      for (uint i = 0u; i < ROWS; ++i) pixels_at[i] = find(corners[i], tap);
      EACH_ROW(TAKE)
      for (uint k = 0u; k < group_parts; ++k) {
        LOAD_COLUMNS(p_at, q_at, 1u)
        EACH_ROW(ADD)
        p_at += WIDTH;
        q_at += WIDTH;
      }
    }
  }

  const uint channel = group * columns;
  const vec4 tile[] = TILE;
  for (uint i = 0u; i < 2u * ROWS; ++i) {
    const uint r = row + i / 2u;
    const uint c = column + i % 2u * 4u;
    if (r < pixels && c < columns)
      store(tile[i], c, columns, r * columns * groups + channel + c, channel + c);
  }
}
