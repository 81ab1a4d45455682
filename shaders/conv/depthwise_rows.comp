// Depthwise convolution with square kernels without dilation. An invocation computes a PACK of channels of
// PIXELS adjacent pixels in `chunk` output rows. It walks down the input, reads each row once, and adds it to
// all output rows whose receptive fields contain it. w is packed as [channels / 4][KERNEL][KERNEL] of four
// channels.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"
#include "elementwise/postop.glsl"

layout(constant_id = 4) const uint KERNEL = 3;       // 3 or 5
layout(constant_id = 5) const uint STRIDE = 1;       // 1 or 2
layout(constant_id = 6) const uint PIXELS = 4;       // at most kMaxPixels
layout(constant_id = 7) const bool ONE_ROW = false;  // `chunk` is 1, and loads don't wait for each other

layout(push_constant) uniform Push {
  uint first_chunk, chunks, chunk;  // chunks: end of the range over the entire batch; chunk: rows per chunk
  uint x_first;                     // first PACK of the input in x
  uint out_height, out_width, in_height, in_width;
  uint parts;  // PACKs per pixel
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

const uint kMaxKernel = 5u, kMaxPixels = 7u, kMaxCells = (kMaxPixels - 1u) * 2u + kMaxKernel;
const uint CELLS = (PIXELS - 1u) * STRIDE + KERNEL;
// Output rows in progress after an input row has been added.
const uint OPEN = (KERNEL - 1u) / STRIDE;

PACK factors[kMaxKernel * kMaxKernel];
PACK cells[kMaxCells];

// The input row's contribution to a pixel that has it as row `tap` of its receptive field.
PACK product(uint tap, uint pixel) {
  PACK sum = factors[tap * KERNEL] * cells[pixel * STRIDE];
  [[unroll]] for (uint k = 1u; k < KERNEL; ++k) sum += factors[tap * KERNEL + k] * cells[pixel * STRIDE + k];
  return sum;
}

PACK apply_epilogue(PACK sum, uint channel) {
  if (OPERATOR != 0u)
    sum = POSTOP_OF(sum, channel, scaling, uint(postop_a) / WIDTH, vec2(postop_a, postop_b));
  return limited(sum, vec2(low, high));
}

// Invocations are ordered by channels, then by pixels.
void main() {
  const uint tiles = (out_width + PIXELS - 1u) / PIXELS;
  const uint place = gl_GlobalInvocationID.x / parts;
  const uint channel = gl_GlobalInvocationID.x - place * parts;
  const uint tile_row = place / tiles;
  const uint column = (place - tile_row * tiles) * PIXELS;
  const uint nth = first_chunk + tile_row;
  if (nth >= chunks) return;
  const uint chunks_of_image = (out_height + chunk - 1u) / chunk;
  const uint image = nth / chunks_of_image;
  const uint first = (nth - image * chunks_of_image) * chunk;
  const uint end = min(first + chunk, out_height);

#ifdef VEC4
  const uint w_at = channel * KERNEL * KERNEL;
#else
  const uint w_at = (channel / 4u) * KERNEL * KERNEL * 4u + channel % 4u;
#endif
  [[unroll]] for (uint k = 0u; k < KERNEL * KERNEL; ++k) factors[k] = W(w_at + k * (4u / WIDTH));
  const PACK begin = bias.v[channel];
  PACK sums[kMaxKernel][kMaxPixels];
  [[unroll]] for (uint j = 0u; j < OPEN; ++j) {
    [[unroll]] for (uint i = 0u; i < PIXELS; ++i) sums[j][i] = begin;
  }

  const int left_edge = int(column * STRIDE) - left;
  int in_row = int(first * STRIDE) - top + int(KERNEL - STRIDE) - int(OPEN * STRIDE);
  uint y_at = ((image * out_height + first) * out_width + column) * parts + channel;
  const uint steps = (ONE_ROW ? 1u : end - first) + OPEN;
  [[unroll]] for (uint step = 0u; step < steps; ++step) {
    [[unroll]] for (uint u = 0u; u < STRIDE; ++u, ++in_row) {
      const bool is_row = uint(in_row) < in_height;
      const uint near_row = uint(clamp(in_row, 0, int(in_height) - 1));
      const uint row_start = (image * in_height + near_row) * in_width * parts + channel - x_first;
      // 0 outside; branch-free.
      [[unroll]] for (uint c = 0u; c < CELLS; ++c) {
        const uint at = uint(left_edge + int(c));
        cells[c] = where(is_row && at < in_width, X(row_start + min(at, in_width - 1u) * parts));
      }
      if (u + 1u < STRIDE) {
        [[unroll]] for (uint j = 0u; j < OPEN; ++j) {
          [[unroll]] for (uint i = 0u; i < PIXELS; ++i) sums[j][i] +=
              product(KERNEL - STRIDE + u - j * STRIDE, i);
        }
      }
    }
    const bool is_done = step >= OPEN;
    [[unroll]] for (uint i = 0u; i < PIXELS; ++i) {
      const PACK sum = sums[0][i] + product(KERNEL - 1u, i);
      if (is_done && column + i < out_width) y.v[y_at + i * parts] = apply_epilogue(sum, channel);
      [[unroll]] for (uint j = 1u; j < OPEN; ++j) sums[j - 1u][i] =
          sums[j][i] + product(KERNEL - 1u - j * STRIDE, i);
      sums[OPEN - 1u][i] = begin + product(0u, i);
    }
    y_at += is_done ? out_width * parts : 0u;
  }
}
