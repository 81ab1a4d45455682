// Convolutions and GEMMs for models that have run only shortly: compiled in a tenth of the time that register
// tiles take, and a few times slower. CONV2D and CONV2D_TRANSPOSE on NHWC, also with a kernel of one pixel,
// which is a GEMM. An invocation computes 4 pixels, one behind the other, of 4 channels of one group. Weights
// are read as the model has them: [channel][kernel height][kernel width][input channel]. Variant VEC4: input
// channels of a group are a multiple of 4.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"
#ifdef POSTOP
#include "elementwise/unary_functions.glsl"
#endif

layout(constant_id = 3) const uint OPERATOR = 0;  // variant POSTOP: of one operand, on the sums

layout(push_constant) uniform Push {
  uint pixels;  // of the output, over the whole batch
  uint out_height, out_width, in_height, in_width;
  uint pixel_packs, group_packs;  // of a pixel of the input, and those a group reads
  uint columns, groups;           // columns: output channels of a group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  uint y_first, y_row;       // of the first pixel of y, and from pixel to pixel, in elements
  uint has_bias, adds;       // adds: `residual` to the sums, behind OPERATOR
  float postop_a, postop_b;  // OPERATOR's parameters
  float low, high;           // the results' limits
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
READS_AS(2, bias, float);
WRITES_AS(3, y, float);
READS_AS(4, residual, float);

#ifdef VEC4
#define PRODUCT(e, c) dot(e, c)
#else
#define PRODUCT(e, c) (e) * (c)
#endif

#define EACH_PIXEL(F) F(0) F(1) F(2) F(3)
#define CORNER(i)                                    \
  const ivec3 corner##i = corner(row, place, image); \
  ++place;                                           \
  row += place == out_width ? 1u : 0u;               \
  place = place == out_width ? 0u : place;           \
  image += row == out_height ? 1u : 0u;              \
  row = row == out_height ? 0u : row;
#define TAKE(i)                               \
  const uint pixel##i = find(corner##i, tap); \
  const bool inside##i = pixel##i != kNone;   \
  const uint a##i = inside##i ? pixel##i * pixel_packs + first_part : 0u;
#define ADD(i)                                                                      \
  {                                                                                 \
    const PACK e = where(inside##i, A(a##i + k));                                   \
    sum##i += vec4(PRODUCT(e, c0), PRODUCT(e, c1), PRODUCT(e, c2), PRODUCT(e, c3)); \
  }

// Invocations side by side have pixels one behind the other, then the next channels.
void main() {
  const uint tiles = (pixels + 3u) / 4u;
  const uint nth = gl_GlobalInvocationID.x / tiles;
  const uint first = (gl_GlobalInvocationID.x - nth * tiles) * 4u;
  const uint blocks = (columns + 3u) / 4u;
  const uint group = nth / blocks;
  if (group >= groups) return;
  const uint column = (nth - group * blocks) * 4u;
  const uint channel = group * columns;
  const uint first_part = group * group_packs;

  uint row = first / out_width;
  uint place = first - row * out_width;
  uint image = row / out_height;
  row -= image * out_height;
  EACH_PIXEL(CORNER)

  const uvec4 each = channel + min(column + uvec4(0u, 1u, 2u, 3u), uvec4(columns - 1u));
  uvec4 at = each * (kernel_height * kernel_width * group_packs);
  vec4 sum0 = vec4(0.0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (uint u = 0u; u < kernel_height; ++u) {
    for (uint v = 0u; v < kernel_width; ++v) {
      const ivec2 tap = ivec2(u * dilation_height, v * dilation_width);
      EACH_PIXEL(TAKE)
      for (uint k = 0u; k < group_packs; ++k) {
        const PACK c0 = B(at.x + k), c1 = B(at.y + k), c2 = B(at.z + k), c3 = B(at.w + k);
        EACH_PIXEL(ADD)
      }
      at += group_packs;
    }
  }

  // Sums of channels beyond the last are those of the last. One loop with one store: drivers take longest to
  // compile what is there once for each sum, or indexed.
  const uint end = min(4u, pixels - first) * 4u;
  for (uint i = 0u; i < end; ++i) {
    const vec4 four = i < 4u ? sum0 : i < 8u ? sum1 : i < 12u ? sum2 : sum3;
    const uint j = i & 3u;
    float sum = j == 0u ? four.x : j == 1u ? four.y : j == 2u ? four.z : four.w;
    const uint c = channel + min(column + j, columns - 1u);
    const uint to = y_first + (first + i / 4u) * y_row + c;
    if (has_bias != 0u) sum += bias.v[c];
#ifdef POSTOP
    sum = unary_of(OPERATOR, sum, vec2(postop_a, postop_b));
#endif
    if (adds != 0u) sum += residual.v[to];
    y.v[to] = limited(sum, vec2(low, high));
  }
}
