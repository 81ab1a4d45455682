// Winograd output transform: OUT x OUT result pixels from the GEMM results, with bias and epilogue. An
// invocation computes a vec4 of channels of a tile. m is [point][tile][channels / 4] of vec4. Results that
// are NaN are summed directly from x and `taps`, [channels / 4][9][input channels] of vec4.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"
#include "elementwise/postop.glsl"

layout(constant_id = 4) const uint OUT = 4;
layout(constant_id = 5) const bool UNROLLS = false;  // all loads are issued together
#include "conv/winograd_tile.glsl"

layout(push_constant) uniform Push {
  uint count;                // vec4 of all tiles of the dispatch
  uint first, down, across;  // first tile, and tiles per image
  uint out_height, out_width, parts;
  uint y_first, y_pixel;     // first pixel of y, and pixel stride, in vec4
  uint adds;                 // add `residual` after OPERATOR
  float postop_a, postop_b;  // of OPERATOR
  float low, high;           // clamps the results
  uint in_height, in_width, in_parts;
  int top, left;  // padding before the first window
};

READS_PACKS(0, m);
READS_AS(1, bias, vec4);
WRITES_AS(2, y, vec4);
READS_AS(3, residual, vec4);  // or factors of OPERATOR
READS_AS(4, x, vec4);
READS_AS(5, taps, vec4);

vec4 rows[kMaxOut][kMaxIn];

void read_column(uint j, uint index) {
  vec4 sums[kMaxIn], to[kMaxOut];
  [[unroll]] for (uint i = 0u; i < IN; ++i) sums[i] = PACK_OF(m, index + (i * IN + j) * count);
  results_of(sums, to);
  [[unroll]] for (uint i = 0u; i < OUT; ++i) rows[i][j] = to[i];
}

vec4 with_postop(vec4 v, uint channel) {
  if (OPERATOR == 0u) return v;
  // The transforms round, so sums of integers are not quite integers.
  if (OPERATOR == OP_QUANT_DTYPE_CAST || OPERATOR == OP_REQUANTIZE_TO_EVEN) v = roundEven(v);
  return POSTOP_OF(v, channel, residual, uint(postop_a) / WIDTH, vec2(postop_a, postop_b));
}

// The direct sum of an output pixel. Three taps per iteration, because drivers limit the loop iterations of
// an invocation.
vec4 direct_sum(uint image, uint row, uint column, uint channel) {
  vec4 sum = vec4(0.0);
  for (uint u = 0u; u < 3u; ++u) {
    const uint r = row + u - uint(top);
    if (r >= in_height) continue;
    const uint line = (image * in_height + r) * in_width;
    for (uint k = 0u; k < in_parts; ++k) {
      [[unroll]] for (uint v = 0u; v < 3u; ++v) {
        const uint c = column + v - uint(left);
        const uint at = ((channel * 3u + u) * 3u + v) * in_parts * 4u + k * 4u;
        if (c < in_width) {
          const vec4 d = x.v[(line + c) * in_parts + k];
          sum += d.x * taps.v[at] + d.y * taps.v[at + 1u] + d.z * taps.v[at + 2u] + d.w * taps.v[at + 3u];
        }
      }
    }
  }
  return sum;
}

// Invocations are ordered by channels, then by tiles.
void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint nth = index / parts;
  const uint tile_row = (first + nth) / across;
  const uint image = tile_row / down;
  const uint row = (tile_row - image * down) * OUT;
  const uint column = (first + nth - tile_row * across) * OUT;
  const uint channel = index - nth * parts;

  if (UNROLLS) {
    [[unroll]] for (uint j = 0u; j < IN; ++j) read_column(j, index);
  } else {
    for (uint j = 0u; j < IN; ++j) read_column(j, index);
  }
  const vec4 start = bias.v[channel];
  const uint pixel = (image * out_height + row) * out_width + column;
  const uint at = y_first + channel;
  vec4 results[kMaxOut * kMaxOut];
  [[unroll]] for (uint i = 0u; i < OUT; ++i) {
    vec4 to[kMaxOut];
    results_of(rows[i], to);
    [[unroll]] for (uint j = 0u; j < OUT; ++j) results[i * OUT + j] = to[j] + start;
  }
  if ((floatBitsToUint(results[0].x) & 0x7fffffffu) > 0x7f800000u) {
    for (uint k = 0u; k < OUT * OUT; ++k)
      results[k] = direct_sum(image, row + k / OUT, column + k % OUT, channel) + start;
  }
  if (UNROLLS && adds != 0u) {
    vec4 added[kMaxOut * kMaxOut];
    [[unroll]] for (uint k = 0u; k < OUT * OUT; ++k) {
      const uint i = min(k / OUT, out_height - 1u - row), j = min(k % OUT, out_width - 1u - column);
      added[k] = residual.v[at + (pixel + i * out_width + j) * y_pixel];
    }
    [[unroll]] for (uint k = 0u; k < OUT * OUT; ++k) results[k] = with_postop(results[k], channel) + added[k];
  }
  // One loop with one store: unrolled stores take drivers long to compile.
  for (uint k = 0u; k < OUT * OUT; ++k) {
    const uint i = k / OUT, j = k % OUT;
    const uint own = at + (pixel + i * out_width + j) * y_pixel;
    if (row + i >= out_height || column + j >= out_width) continue;
    vec4 v = results[k];
    if (!UNROLLS || adds == 0u) v = with_postop(v, channel);
    if (!UNROLLS && adds != 0u) v += residual.v[own];
    y.v[own] = limited(v, vec2(low, high));
  }
}
