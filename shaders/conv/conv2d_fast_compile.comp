// Fast-compile convolutions and GEMMs: slower than register tiles, but compiled in a tenth of the time.
// CONV2D and CONV2D_TRANSPOSE in NHWC; a GEMM is a 1x1 convolution. An invocation computes 4 consecutive
// pixels of 4 channels of one group. Weights are read in the model's layout: [channel][kernel height][kernel
// width][input channel]. Variant VEC4: input channels per group are a multiple of 4. Variant SUBGROUP8: a
// subgroup of 8 computes 8 channels, with 4 pixels per invocation; each invocation reads one channel's
// weights and shares them by shuffles.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#ifdef SUBGROUP8
#extension GL_KHR_shader_subgroup_shuffle : require
#define TEXELS
#endif
#include "base/vec4_access.glsl"
#include "elementwise/postop.glsl"

layout(push_constant) uniform Push {
  uint pixels;  // output pixels of the entire batch
  uint out_height, out_width, in_height, in_width;
  uint pixel_packs, group_packs;  // PACKs per input pixel, and per group
  uint columns, groups;           // columns: output channels per group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  uint y_first, y_row;       // first element of y, and pixel stride
  uint has_bias, adds;       // adds: add `residual` after OPERATOR
  float postop_a, postop_b;  // of OPERATOR
  float low, high;           // clamps the results
};
#include "conv/input_pixel.glsl"

#ifdef TEXELS
READS_TEXELS(0, a);
READS_TEXELS(1, b);
#define A(i) TEXEL(a, i)
#define B(i) TEXEL(b, i)
#else
READS_AS(0, a, PACK);
READS_AS(1, b, PACK);
#define A(i) a.v[i]
#define B(i) b.v[i]
#endif
#ifdef SUBGROUP8
#define RESULT vec4
#define POSTOP_COLUMN ((channel + c) / 4u)
#define POSTOP_STRIDE (uint(postop_a) / 4u)
#else
#define RESULT float
#define POSTOP_COLUMN c
#define POSTOP_STRIDE uint(postop_a)
#endif
READS_AS(2, bias, RESULT);
WRITES_AS(3, y, RESULT);
READS_AS(4, residual, RESULT);  // or factors of OPERATOR

#ifdef VEC4
#define PRODUCT(e, c) dot(e, c)
#else
#define PRODUCT(e, c) (e) * (c)
#endif

#define EACH_PIXEL(F) F(0) F(1) F(2) F(3)
// Pixels beyond the last one repeat it.
#define CORNER(i)                                    \
  const ivec3 corner##i = corner(row, place, image); \
  place += first + i < pixels - 1u ? 1u : 0u;        \
  row += place == out_width ? 1u : 0u;               \
  place = place == out_width ? 0u : place;           \
  image += row == out_height ? 1u : 0u;              \
  row = row == out_height ? 0u : row;
#define TAKE(i)                               \
  const uint pixel##i = find(corner##i, tap); \
  const bool inside##i = pixel##i != kNone;   \
  const uint a##i = inside##i ? pixel##i * pixel_packs + first_part : 0u;
#define FOUR(e) vec4(PRODUCT(e, c0), PRODUCT(e, c1), PRODUCT(e, c2), PRODUCT(e, c3))
#ifdef SUBGROUP8
#define INVOCATIONS 8u  // per tile
#define COLUMNS 8u
#define BEGIN(i) vec4 sum##i = vec4(0.0), more##i = vec4(0.0);
#define READ(i) const vec4 e##i = where(inside##i, A(a##i + k));
#define ADD(i) sum##i += FOUR(e##i);
#define ADD_MORE(i) more##i += FOUR(e##i);
#define CHANNELS(n)                                                           \
  const vec4 c0 = subgroupShuffle(own, n), c1 = subgroupShuffle(own, n + 1u), \
             c2 = subgroupShuffle(own, n + 2u), c3 = subgroupShuffle(own, n + 3u);
#define ADD_STEP(k)                                                                      \
  {                                                                                      \
    const vec4 own = B(at + k);                                                          \
    EACH_PIXEL(READ){CHANNELS(0u) EACH_PIXEL(ADD)} { CHANNELS(4u) EACH_PIXEL(ADD_MORE) } \
  }
#else
#define INVOCATIONS 1u
#define COLUMNS 4u
#define BEGIN(i) vec4 sum##i = vec4(0.0);
#define ADD(i)                                    \
  {                                               \
    const PACK e = where(inside##i, A(a##i + k)); \
    sum##i += FOUR(e);                            \
  }
#define ADD_STEP(k)                                                                    \
  {                                                                                    \
    const PACK c0 = B(at.x + k), c1 = B(at.y + k), c2 = B(at.z + k), c3 = B(at.w + k); \
    EACH_PIXEL(ADD)                                                                    \
  }
#endif
#define PIXEL(i, sum) ((i) == 0u ? sum##0 : (i) == 1u ? sum##1 : (i) == 2u ? sum##2 : sum##3)
#define LANE (gl_LocalInvocationID.x % INVOCATIONS)
#define PIXELS (4u * INVOCATIONS)

// Tiles are ordered by pixels, then by channels.
void main() {
  const uint tiles = (pixels + PIXELS - 1u) / PIXELS;
  const uint tile = gl_GlobalInvocationID.x / INVOCATIONS;
  const uint nth = tile / tiles;
  const uint first = (tile - nth * tiles) * PIXELS + LANE * 4u;
  const uint blocks = (columns + COLUMNS - 1u) / COLUMNS;
  const uint group = nth / blocks;
  if (group >= groups) return;
  const uint column = (nth - group * blocks) * COLUMNS;
  const uint channel = group * columns;
  const uint first_part = group * group_packs;

  const uint start = min(first, pixels - 1u);
  uint row = start / out_width;
  uint place = start - row * out_width;
  uint image = row / out_height;
  row -= image * out_height;
  EACH_PIXEL(CORNER)

#ifdef SUBGROUP8
  const uint own_channel = channel + min(column + LANE, columns - 1u);
  uint at = own_channel * (kernel_height * kernel_width * group_packs);
#else
  const uvec4 each = channel + min(column + uvec4(0u, 1u, 2u, 3u), uvec4(columns - 1u));
  uvec4 at = each * (kernel_height * kernel_width * group_packs);
#endif
  EACH_PIXEL(BEGIN)
  for (uint u = 0u; u < kernel_height; ++u) {
    for (uint v = 0u; v < kernel_width; ++v) {
      const ivec2 tap = ivec2(u * dilation_height, v * dilation_width);
      EACH_PIXEL(TAKE)
      for (uint k = 0u; k < group_packs; ++k) ADD_STEP(k)
      at += group_packs;
    }
  }

  // One loop with one store: unrolled or indexed stores take drivers the longest to compile.
#ifdef SUBGROUP8
  const uint end = min(4u, pixels - min(first, pixels)) * 2u;
  for (uint i = 0u; i < end; ++i) {
    const uint c = column + (i & 1u) * 4u;
    if (c >= columns) continue;
    vec4 sum = (i & 1u) == 0u ? PIXEL(i / 2u, sum) : PIXEL(i / 2u, more);
    const uint to = (y_first + (first + i / 2u) * y_row + channel + c) / 4u;
    if (has_bias != 0u) sum += bias.v[(channel + c) / 4u];
#else
  const uint end = min(4u, pixels - first) * 4u;
  for (uint i = 0u; i < end; ++i) {
    const vec4 four = PIXEL(i / 4u, sum);
    const uint j = i & 3u;
    float sum = j == 0u ? four.x : j == 1u ? four.y : j == 2u ? four.z : four.w;
    const uint c = channel + min(column + j, columns - 1u);  // columns beyond the last one repeat it
    const uint to = y_first + (first + i / 4u) * y_row + c;
    if (has_bias != 0u) sum += bias.v[c];
#endif
    if (OPERATOR != 0u)
      sum = POSTOP_OF(sum, POSTOP_COLUMN, residual, POSTOP_STRIDE, vec2(postop_a, postop_b));
    if (adds != 0u) sum += residual.v[to];
    y.v[to] = limited(sum, vec2(low, high));
  }
}
