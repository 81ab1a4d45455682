// Convolution of each channel by itself: 7 pixels (7 divides the usual widths) of one or two rows of the
// output and a PART of the channels an invocation. w is packed, [channels / 4][kernel height][kernel width]
// of four channels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "epilogue.glsl"
#include "parts.glsl"
#ifdef THEN
#include "unary.glsl"
#endif

layout(constant_id = 3) const uint OPERATOR = 0;  // variant THEN: of one operand, on the sums
// The columns' stride, 1 or 2, where windows have three columns without dilation: they are read once for all
// windows of a row. 0: any other window.
layout(constant_id = 4) const uint SLIDES = 0;
// Two rows below each other, for SLIDES and a stride and dilation of 1: they share input rows.
layout(constant_id = 5) const bool PAIRS = false;

layout(push_constant) uniform Push {
  uint rows;  // of the output or, with PAIRS, pairs of them, over the whole batch
  uint out_height, out_width, in_height, in_width;
  uint out_parts, in_parts;  // of a pixel
  uint multiplier;           // output channels of an input channel; 1 for VEC4
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  float then_a, then_b;  // OPERATOR's parameters
  float low, high;       // the results' limits
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

#define ACCUMULATOR(i) PART sum##i = bias.v[channel], below##i = sum##i;
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
#define SLIDE(i, first, second, third)                      \
  sum##i += w0 * v##first + w1 * v##second + w2 * v##third; \
  if (PAIRS) below##i += u0 * v##first + u1 * v##second + u2 * v##third;
#define STORE(i) \
  if (column + i < out_width) y.v[y_start + i * out_parts] = limited(sum##i, vec2(low, high));
#define STORE_BELOW(i)                                              \
  if (PAIRS && out_row + 1u < out_height && column + i < out_width) \
    y.v[y_start + (out_width + i) * out_parts] = limited(below##i, vec2(low, high));

// Invocations side by side have neighbouring channels, then the next pixels.
void main() {
  const uint tiles = (out_width + PIXELS - 1u) / PIXELS;
  const uint place = gl_GlobalInvocationID.x / out_parts;
  const uint channel = gl_GlobalInvocationID.x - place * out_parts;
  const uint nth = place / tiles;
  const uint column = (place - nth * tiles) * PIXELS;
  if (nth >= rows) return;
  const uint together = PAIRS ? 2u : 1u;
  const uint rows_of_image = (out_height + together - 1u) / together;
  const uint image = nth / rows_of_image;
  const uint out_row = (nth - image * rows_of_image) * together;
  const int first_row = int(out_row * stride_height) - top;
  const uint source = channel / multiplier;
#ifdef VEC4
  uint w_at = channel * kernel_height * kernel_width;
#else
  uint w_at = (channel / 4u) * kernel_height * kernel_width * 4u + channel % 4u;
#endif
  const uint w_step = 4u / WIDTH;

  EACH_PIXEL(ACCUMULATOR)
  // With PAIRS the weights of the row before are those of the lower output row.
  PART u0 = PART(0.0), u1 = u0, u2 = u0;
  for (uint u = 0u; u < kernel_height + together - 1u; ++u) {
    const int in_row = first_row + int(u * dilation_height);
    const bool is_inside = uint(in_row) < in_height;
    const uint row_start =
        (image * in_height + (is_inside ? uint(in_row) : 0u)) * in_width * in_parts + source;
    int left_edge = int(column * stride_width) - left;
    if (SLIDES != 0u) {
      const bool is_row = u < kernel_height;
      const uint at_row = is_row ? w_at : 0u;
      const PART w0 = where(is_row, W(at_row)), w1 = where(is_row, W(at_row + w_step)),
                 w2 = where(is_row, W(at_row + 2u * w_step));
      if (is_inside) {
        EACH_PIXEL(COLUMN)
        COLUMN(7)
        COLUMN(8)
        if (SLIDES == 1u) {
          SLIDE(0, 0, 1, 2)
          SLIDE(1, 1, 2, 3)
          SLIDE(2, 2, 3, 4)
          SLIDE(3, 3, 4, 5)
          SLIDE(4, 4, 5, 6)
          SLIDE(5, 5, 6, 7)
          SLIDE(6, 6, 7, 8)
        } else {
          COLUMN(9)
          COLUMN(10)
          COLUMN(11)
          COLUMN(12)
          COLUMN(13)
          COLUMN(14)
          SLIDE(0, 0, 1, 2)
          SLIDE(1, 2, 3, 4)
          SLIDE(2, 4, 5, 6)
          SLIDE(3, 6, 7, 8)
          SLIDE(4, 8, 9, 10)
          SLIDE(5, 10, 11, 12)
          SLIDE(6, 12, 13, 14)
        }
      }
      u0 = w0;
      u1 = w1;
      u2 = w2;
      w_at += 3u * w_step;
      continue;
    }
    if (!is_inside) {
      w_at += kernel_width * w_step;
      continue;
    }
    for (uint v = 0u; v < kernel_width; ++v) {
      const PART factor = W(w_at);
      EACH_PIXEL(ADD)
      w_at += w_step;
      left_edge += int(dilation_width);
    }
  }

  const uint y_start = ((image * out_height + out_row) * out_width + column) * out_parts + channel;
#ifndef THEN
  EACH_PIXEL(STORE)
  EACH_PIXEL(STORE_BELOW)
#else
  const PART tile[] = PART[2u * PIXELS](sum0, sum1, sum2, sum3, sum4, sum5, sum6, below0, below1, below2,
                                        below3, below4, below5, below6);
  for (uint i = 0u; i < together * PIXELS; ++i) {
    const PART v = unary_of(OPERATOR, tile[i], vec2(then_a, then_b));
    const uint r = i / PIXELS;
    const uint c = i - r * PIXELS;
    if (column + c < out_width && out_row + r < out_height)
      y.v[y_start + (r * out_width + c) * out_parts] = limited(v, vec2(low, high));
  }
#endif
}
