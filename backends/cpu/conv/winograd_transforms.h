// The transforms of Winograd's F(4x4, 3x3), for some channels at once.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"

namespace nnrt::cpu {

inline constexpr int kTileIn = 6, kTileOut = 4;
inline constexpr int kTilePoints = kTileIn * kTileIn;

// Six by six pixels of the input; those that are null are zeros.
struct TileInput {
  const float* pixels[kTilePoints];
};
// Transforms all `channels`, at least as many as a vector has: point p to to + p * point_step. Returns the
// largest magnitude, NaN counting as larger than infinity; 0 where none is above `small`.
float transform_input(int vector_bytes, const TileInput& tile, int64_t channels, float small, float* to,
                      int64_t point_step);
// Returns whether the largest magnitude is so large (kWinogradRange) that results which do not read it would
// lose their precision: those of the first `rows` and `columns`.
bool is_uneven(const TileInput& tile, float largest, int64_t channels, int rows, int columns);

// Up to four by four pixels of the output. Point p of the sums is at from + p * point_step; pixel (y, x) at
// to + y * row_step + x * channels, and as far from `epilogue.other`.
struct TileOutput {
  int rows, columns;
  float* to;
  int64_t row_step;
  bool has_results = false;  // the points are the sums of the pixels: point y * kTileOut + x
};
void transform_output(int vector_bytes, const float* from, int64_t point_step, int64_t channels,
                      const F32Epilogue& epilogue, const TileOutput& tile);

// The 36 points of a kernel's nine taps, of one pair of channels.
void transform_kernel(const float taps[9], float points[kTilePoints]);

}  // namespace nnrt::cpu
