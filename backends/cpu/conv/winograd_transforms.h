// The transforms of Winograd F(4x4, 3x3), for a range of channels.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"

namespace nnrt::cpu {

inline constexpr int kTileIn = 6, kTileOut = 4;
inline constexpr int kTilePoints = kTileIn * kTileIn;

// 6x6 input pixels; null means zeros.
struct TileInput {
  const float* pixels[kTilePoints];
};
// Transforms `channels` channels (at least one vector); point p goes to to + p * point_step. Returns the
// largest magnitude (NaN ranks above infinity), or 0 if none exceeds `small`.
float transform_input(int vector_bytes, const TileInput& tile, int64_t channels, float small, float* to,
                      int64_t point_step);
// Returns whether the largest magnitude is so dominant (kWinogradRange) that results not depending on it
// would lose precision. Considers the first `rows` and `columns` of the results.
bool is_uneven(const TileInput& tile, float largest, int64_t channels, int rows, int columns);

// Up to 4x4 output pixels. Point p of the sums is at from + p * point_step; pixel (y, x) goes to to + y *
// row_step + x * channels, and reads `epilogue.other` at the same offset.
struct TileOutput {
  int rows, columns;
  float* to;
  int64_t row_step;
  bool has_results = false;  // the points already hold the pixels: point y * kTileOut + x
};
void transform_output(int vector_bytes, const float* from, int64_t point_step, int64_t channels,
                      const F32Epilogue& epilogue, const TileOutput& tile);

// The 3x3 kernels of `count` output channels: [count][taps][in], or [count][in][taps].
struct WinogradKernels {
  const float* data;
  int64_t count, in;
  bool taps_last = false;
};
inline constexpr int kKernelTaps = 9;
// Packs the kernels of a panel: point p of input channel c and output channel o goes to
// to[p * point_step + c * lanes + o]. Output channels up to `lanes` that do not exist are zeros. Needs a
// vector of input channels.
void transform_kernels(int vector_bytes, const WinogradKernels& kernels, int64_t lanes, float* to,
                       int64_t point_step);

}  // namespace nnrt::cpu
