// Winograd F(4 x 4, 3 x 3) for INT8 values, exact in 16- and 32-bit integers:
//   f[y] f[x] Y[y][x] = (A ((G w G^T) * (B x B^T)) A^T)[y][x] with f = {24, 12, 6, 6}
// where G is that of the float transform with rows multiplied by {24, 6, 6, 24, 24, 6}. Transformed weights
// and activations fit in 16 bits. Sums are modulo 2^32; dividing by f[y] f[x] = 9 * 2^k, k <= 6, leaves Y if
// it has at most 26 bits. Needs has_int8_dot() on x86.
#pragma once

#include "backends/cpu/gemm/int8_microkernel.h"

namespace nnrt::cpu {

inline constexpr int kInt8TileOut = 4, kInt8TileIn = 6, kInt8TilePoints = kInt8TileIn * kInt8TileIn;
inline constexpr int kInt8TileTaps = 9;
// Sums up to this magnitude are exact.
inline constexpr int64_t kMaxWinogradSum = (int64_t{1} << 25) - 1;

// G w G^T of one 3 x 3 kernel.
void transform_int8_kernel(const int8_t (&weights)[kInt8TileTaps], int16_t (&points)[kInt8TilePoints]);

// B x B^T of a tile of pixels. Point p of channel c goes to to[p * step + c].
void transform_int8_tile(const int8_t* const (&pixels)[kInt8TilePoints], int64_t channels, int16_t* to,
                         int64_t step);

// The products of one point: `tiles` rows of 2 * pairs channels times a panel [pairs][kInt8PanelColumns][2],
// as rows of kInt8PanelColumns sums. Prefetches `next`, the panel of the next point, unless it is null.
struct WordProduct {
  const int16_t* rows;
  int64_t tiles, pairs;
  const int16_t *panel, *next;
  int32_t* to;
};
void multiply_words(const WordProduct& product);

// A tile of the output: up to kInt8TileOut lines and pixels.
struct Int8Tile {
  const int32_t* points;  // [points][columns], `point_step` apart
  int64_t point_step;
  int lines, pixels;
  int8_t* to;
  int64_t line_step, pixel_step;
};
// Requantizes `columns` channels from `channel` on.
void finish_int8_tile(const Int8Tile& tile, const Int8Epilogue& terms, int64_t channel, int columns);

}  // namespace nnrt::cpu
