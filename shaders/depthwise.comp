// Convolution of each channel by itself: 7 pixels of an output row (7 divides the usual widths) and a PART of
// the channels an invocation. w is packed, [channels / 4][kernel height][kernel width] of four channels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "epilogue.glsl"
#include "parts.glsl"

layout(constant_id = 3) const bool SLIDES = false;  // 3 columns, stride and dilation 1: windows share columns

layout(push_constant) uniform Push {
  uint rows;  // of the output, over the whole batch
  uint out_height, out_width, in_height, in_width;
  uint out_parts, in_parts;  // of a pixel
  uint multiplier;           // output channels of an input channel; 1 for VEC4
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  float low, high;  // the results' limits
};

#ifdef TEXELS
READS_TEXELS(0, x);
READS_TEXELS(1, w);
#define X(i) TEXEL(x, i)
#define W(i) TEXEL(w, i)
#else
READS_AS(0, x, PART);
READS_AS(1, w, PART);
#define X(i) x.v[i]
#define W(i) w.v[i]
#endif
READS_AS(2, bias, PART);
WRITES_AS(3, y, PART);

#define EACH_PIXEL(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6)
const uint PIXELS = 7u;

#define ACCUMULATOR(i) PART sum##i = bias.v[channel];
// A cell of the row, 0 outside of it; without a branch.
#define CELL(at) where(at < in_width, X(row_start + min(at, in_width - 1u) * in_parts))
#define ADD(i)                                          \
  {                                                     \
    const uint at = uint(left_edge) + i * stride_width; \
    sum##i += factor * CELL(at);                        \
  }
#define COLUMN(i)                         \
  const uint at##i = uint(left_edge) + i; \
  const PART v##i = CELL(at##i);
#define SLIDE(i, first, second, third) sum##i += w0 * v##first + w1 * v##second + w2 * v##third;
#define STORE(i) \
  if (column + i < out_width) y.v[y_start + i * out_parts] = limited(sum##i, vec2(low, high));

void main() {
  const uint tiles = (out_width + PIXELS - 1u) / PIXELS;
  const uint out_row = gl_GlobalInvocationID.x / tiles;
  const uint column = (gl_GlobalInvocationID.x - out_row * tiles) * PIXELS;
  const uint channel = gl_GlobalInvocationID.y;
  if (out_row >= rows || channel >= out_parts) return;
  const uint image = out_row / out_height;
  const int first_row = int((out_row - image * out_height) * stride_height) - top;
  const uint source = channel / multiplier;
#ifdef VEC4
  uint w_at = channel * kernel_height * kernel_width;
#else
  uint w_at = (channel / 4u) * kernel_height * kernel_width * 4u + channel % 4u;
#endif

  EACH_PIXEL(ACCUMULATOR)
  for (uint u = 0u; u < kernel_height; ++u) {
    const int in_row = first_row + int(u * dilation_height);
    if (uint(in_row) >= in_height) {
      w_at += kernel_width * (4u / WIDTH);
      continue;
    }
    const uint row_start = (image * in_height + uint(in_row)) * in_width * in_parts + source;
    int left_edge = int(column * stride_width) - left;
    if (SLIDES) {
      const PART w0 = W(w_at), w1 = W(w_at + 4u / WIDTH), w2 = W(w_at + 8u / WIDTH);
      EACH_PIXEL(COLUMN)
      COLUMN(7)
      COLUMN(8)
      SLIDE(0, 0, 1, 2)
      SLIDE(1, 1, 2, 3)
      SLIDE(2, 2, 3, 4)
      SLIDE(3, 3, 4, 5)
      SLIDE(4, 4, 5, 6)
      SLIDE(5, 5, 6, 7)
      SLIDE(6, 6, 7, 8)
      w_at += 12u / WIDTH;
      continue;
    }
    for (uint v = 0u; v < kernel_width; ++v) {
      const PART factor = W(w_at);
      EACH_PIXEL(ADD)
      w_at += 4u / WIDTH;
      left_edge += int(dilation_width);
    }
  }
  const uint y_start = (out_row * out_width + column) * out_parts + channel;
  EACH_PIXEL(STORE)
}
