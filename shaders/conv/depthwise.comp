// Depthwise convolution with any kernel. An invocation computes a PACK of channels of 7 pixels of an output
// row (7 divides the usual widths). w is packed as [channels / 4][kernel height][kernel width] of four
// channels.
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

READS_PACKS(0, x);
READS_PACKS(1, w);
#define X(i) PACK_OF(x, i)
#define W(i) PACK_OF(w, i)
READS_AS(2, bias, PACK);
WRITES_AS(3, y, PACK);
READS_AS(4, scaling, PACK);  // factors of OPERATOR

#define EACH_PIXEL(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6)
const uint PIXELS = 7u;

#define ACCUMULATOR(i) PACK sum##i = bias.v[channel];
// A cell of the row, 0 outside of it; branch-free.
#define CELL(at) where(at < in_width, X(row_start + min(at, in_width - 1u) * in_parts))
#define ADD(i)                                          \
  {                                                     \
    const uint at = uint(left_edge) + i * stride_width; \
    sum##i += factor * CELL(at);                        \
  }
#define STORE(i) \
  if (column + i < out_width) y.v[y_start + i * out_parts] = limited(sum##i, vec2(low, high));

// Invocations are ordered by channels, then by pixels.
void main() {
  const uint tiles = (out_width + PIXELS - 1u) / PIXELS;
  const uint place = gl_GlobalInvocationID.x / out_parts;
  const uint channel = gl_GlobalInvocationID.x - place * out_parts;
  const uint nth = place / tiles;
  const uint column = (place - nth * tiles) * PIXELS;
  if (nth >= rows) return;
  const uint image = nth / out_height;
  const uint out_row = nth - image * out_height;
  const int first_row = int(out_row * stride_height) - top;
  const uint source = channel / multiplier;
#ifdef VEC4
  uint w_at = channel * kernel_height * kernel_width;
#else
  uint w_at = (channel / 4u) * kernel_height * kernel_width * 4u + channel % 4u;
#endif
  const uint w_step = 4u / WIDTH;

  EACH_PIXEL(ACCUMULATOR)
  for (uint u = 0u; u < kernel_height; ++u) {
    const int in_row = first_row + int(u * dilation_height);
    const bool is_inside = uint(in_row) < in_height;
    const uint row_start =
        (image * in_height + (is_inside ? uint(in_row) : 0u)) * in_width * in_parts + source;
    int left_edge = int(column * stride_width) - left;
    if (!is_inside) {
      w_at += kernel_width * w_step;
      continue;
    }
    for (uint v = 0u; v < kernel_width; ++v) {
      const PACK factor = W(w_at);
      EACH_PIXEL(ADD)
      w_at += w_step;
      left_edge += int(dilation_width);
    }
  }

  const uint y_start = ((image * out_height + out_row) * out_width + column) * out_parts + channel;
  if (OPERATOR == 0u) {
    EACH_PIXEL(STORE)
    return;
  }
  const PACK tile[] = PACK[PIXELS](sum0, sum1, sum2, sum3, sum4, sum5, sum6);
  for (uint i = 0u; i < PIXELS; ++i) {
    const PACK v = POSTOP_OF(tile[i], channel, scaling, uint(postop_a) / WIDTH, vec2(postop_a, postop_b));
    if (column + i < out_width) y.v[y_start + i * out_parts] = limited(v, vec2(low, high));
  }
}
