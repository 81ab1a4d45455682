// Fast-compile depthwise convolution: compiled in a third of the time of depthwise.comp. An invocation
// computes a PACK of channels of 4 pixels of an output row. w is packed as [channels / 4][kernel
// height][kernel width] of four channels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"
#include "elementwise/postop.glsl"

layout(push_constant) uniform Push {
  uint rows;  // output rows of the entire batch
  uint out_height, out_width, in_height, in_width;
  uint out_parts, in_parts;  // PACKs per pixel
  uint multiplier;           // output channels per input channel; 1 for VEC4
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  float postop_a, postop_b;  // of OPERATOR
  float low, high;           // clamps the results
};

#ifdef TEXELS
READS_TEXELS(0, x);
READS_TEXELS(1, w);
#define X(i) TEXEL(x, i)
#define W(i) TEXEL(w, i)
#else
READS_AS(0, x, PACK);
READS_AS(1, w, PACK);
#define X(i) x.v[i]
#define W(i) w.v[i]
#endif
READS_AS(2, bias, PACK);
WRITES_AS(3, y, PACK);
READS_AS(4, scaling, PACK);  // factors of OPERATOR

// A cell of the row, 0 outside of it; branch-free.
#define CELL(at) where(is_inside && (at) < in_width, X(row_start + min(at, in_width - 1u) * in_parts))

// Invocations are ordered by channels, then by pixels.
void main() {
  const uint tiles = (out_width + 3u) / 4u;
  const uint place = gl_GlobalInvocationID.x / out_parts;
  const uint channel = gl_GlobalInvocationID.x - place * out_parts;
  const uint nth = place / tiles;
  const uint column = (place - nth * tiles) * 4u;
  if (nth >= rows) return;
  const uint image = nth / out_height;
  const uint out_row = nth - image * out_height;
  const int first_row = int(out_row * stride_height) - top;
#ifdef VEC4
  uint w_at = channel * kernel_height * kernel_width;
  const uint source = channel;
#else
  uint w_at = (channel / 4u) * kernel_height * kernel_width * 4u + channel % 4u;
  const uint source = channel / multiplier;
#endif

  PACK sum0 = bias.v[channel], sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (uint u = 0u; u < kernel_height; ++u) {
    const int in_row = first_row + int(u * dilation_height);
    const bool is_inside = uint(in_row) < in_height;
    const uint row_start =
        (image * in_height + (is_inside ? uint(in_row) : 0u)) * in_width * in_parts + source;
    uint left_edge = column * stride_width - uint(left);
    for (uint v = 0u; v < kernel_width; ++v) {
      const PACK factor = W(w_at);
      sum0 += factor * CELL(left_edge);
      sum1 += factor * CELL(left_edge + stride_width);
      sum2 += factor * CELL(left_edge + 2u * stride_width);
      sum3 += factor * CELL(left_edge + 3u * stride_width);
      w_at += 4u / WIDTH;
      left_edge += dilation_width;
    }
  }

  // One loop with one store: unrolled or indexed stores take drivers the longest to compile.
  const uint end = min(4u, out_width - column);
  const uint to = (nth * out_width + column) * out_parts + channel;
  for (uint i = 0u; i < end; ++i) {
    PACK sum = i == 0u ? sum0 : i == 1u ? sum1 : i == 2u ? sum2 : sum3;
    if (OPERATOR != 0u)
      sum = POSTOP_OF(sum, channel, scaling, uint(postop_a) / WIDTH, vec2(postop_a, postop_b));
    y.v[to + i * out_parts] = limited(sum, vec2(low, high));
  }
}
