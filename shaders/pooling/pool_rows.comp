// AVG_POOL and MAX_POOL in NHWC with square windows. An invocation computes four channels of PIXELS adjacent
// pixels in `chunk` output rows; it walks down the input and reads each row once. Cells outside of the input
// are neither summed, counted nor compared.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const bool MAXIMUM = false;
layout(constant_id = 5) const uint STRIDE = 1;       // 1 or 2
layout(constant_id = 6) const uint KERNEL = 3;       // 2 or 3
layout(constant_id = 7) const uint PIXELS = 4;       // at most kMaxPixels
layout(constant_id = 8) const bool ONE_ROW = false;  // `chunk` is 1, and loads don't wait for each other

layout(push_constant) uniform Push {
  uint chunks, chunk;  // chunks of the entire batch, and rows per chunk
  uint parts;          // PACKs per pixel
  uint out_height, out_width, in_height, in_width;
  int top, left;
};

READS_PACKS(0, x);
WRITES_AS(1, y, PACK);

const uint kMaxPixels = 4u, kMaxCells = (kMaxPixels - 1u) * 2u + 3u;
const uint CELLS = (PIXELS - 1u) * STRIDE + KERNEL;
// Output rows in progress after an input row has been added.
const uint OPEN = (KERNEL - 1u) / STRIDE;

PACK merge(PACK a, PACK b) { return MAXIMUM ? larger(a, b) : a + b; }

uint inside(int first, uint length) { return uint(min(first + int(KERNEL), int(length)) - max(first, 0)); }

// Invocations are ordered by channels, then by pixels.
void main() {
  const uint tiles = (out_width + PIXELS - 1u) / PIXELS;
  const uint index = global_word();
  const uint place = index / parts;
  const uint nth = place / tiles;
  if (nth >= chunks) return;
  const uint channel = index - place * parts;
  const uint column = (place - nth * tiles) * PIXELS;
  const uint chunks_of_image = (out_height + chunk - 1u) / chunk;
  const uint image = nth / chunks_of_image;
  const uint first = (nth - image * chunks_of_image) * chunk;
  const uint end = min(first + chunk, out_height);

  const PACK nothing = PACK(MAXIMUM ? uintBitsToFloat(0xff800000u) : 0.0);
  PACK cells[kMaxCells], open[2][kMaxPixels];
  [[unroll]] for (uint i = 0u; i < PIXELS; ++i) open[0][i] = open[1][i] = nothing;
  const int left_edge = int(column * STRIDE) - left;
  int in_row = int(first * STRIDE) - top + int(KERNEL - STRIDE) - int(OPEN * STRIDE);
  uint y_at = ((image * out_height + first) * out_width + column) * parts + channel;
  const uint steps = (ONE_ROW ? 1u : end - first) + OPEN;
  [[unroll]] for (uint step = 0u; step < steps; ++step) {
    [[unroll]] for (uint u = 0u; u < STRIDE; ++u, ++in_row) {
      const bool is_row = uint(in_row) < in_height;
      const uint near_row = uint(clamp(in_row, 0, int(in_height) - 1));
      const uint row_start = (image * in_height + near_row) * in_width * parts + channel;
      [[unroll]] for (uint c = 0u; c < CELLS; ++c) {
        const uint at = uint(left_edge + int(c));
        const PACK cell = PACK_OF(x, row_start + min(at, in_width - 1u) * parts);
        cells[c] = mix(nothing, cell, bvec4(is_row && at < in_width));
      }
      const bool finishes = u + 1u == STRIDE;
      const bool is_done = finishes && step >= OPEN;
      // The first input row of the window of the finished output row.
      const int out_first = int((first + step - OPEN) * STRIDE) - top;
      [[unroll]] for (uint i = 0u; i < PIXELS; ++i) {
        PACK sum = nothing;
        [[unroll]] for (uint k = 0u; k < KERNEL; ++k) sum = merge(sum, cells[i * STRIDE + k]);
        open[0][i] = merge(open[0][i], sum);
        if (is_done && column + i < out_width) {
          PACK result = open[0][i];
          if (!MAXIMUM)
            result /= float(inside(out_first, in_height) * inside(left_edge + int(i * STRIDE), in_width));
          y.v[y_at + i * parts] = activate(result, ACTIVATION);
        }
        if (finishes) {
          open[0][i] = OPEN == 2u ? merge(open[1][i], sum) : OPEN == 1u ? sum : nothing;
          open[1][i] = sum;
        }
      }
      y_at += is_done ? out_width * parts : 0u;
    }
  }
}
