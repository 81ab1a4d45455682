#include "backends/cpu/conv/winograd_transforms.h"

#include "backends/cpu/gemm/f32_epilogue.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>

// Products of a tile's counters fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {
namespace {

// The points of interpolation are 0, 1, -1, 2, -2 and infinity.
template <typename V>
NNRT_INLINE void input_points(const V (&d)[kTileIn], V (&to)[kTileIn]) {
  const V a = d[4] - 4.0f * d[2], b = d[3] - 4.0f * d[1];
  const V c = d[4] - d[2], e = 2.0f * (d[3] - d[1]);
  to[0] = 4.0f * d[0] - 5.0f * d[2] + d[4];
  to[1] = a + b;
  to[2] = a - b;
  to[3] = c + e;
  to[4] = c - e;
  to[5] = 4.0f * d[1] - 5.0f * d[3] + d[5];
}

template <typename V>
NNRT_INLINE void output_values(const V (&m)[kTileIn], V (&to)[kTileOut]) {
  const V a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], e = m[3] - m[4];
  to[0] = m[0] + a + c;
  to[1] = b + 2.0f * e;
  to[2] = a + 4.0f * c;
  to[3] = b + 8.0f * e + m[5];
}

template <int Bytes>
NNRT_INLINE void transform_in(const TileInput& tile, int64_t channel, float* to, int64_t point_step) {
  using V = Vector<Bytes>;
  V rows[kTileIn][kTileIn];
#pragma GCC unroll 6
  for (int x = 0; x < kTileIn; ++x) {
    V column[kTileIn], points[kTileIn];
#pragma GCC unroll 6
    for (int y = 0; y < kTileIn; ++y) {
      const float* const pixel = tile.pixels[y * kTileIn + x];
      column[y] = pixel != nullptr ? load<Bytes>(pixel + channel) : V{};
    }
    input_points(column, points);
#pragma GCC unroll 6
    for (int y = 0; y < kTileIn; ++y) rows[y][x] = points[y];
  }
#pragma GCC unroll 6
  for (int y = 0; y < kTileIn; ++y) {
    V points[kTileIn];
    input_points(rows[y], points);
#pragma GCC unroll 6
    for (int x = 0; x < kTileIn; ++x) store<Bytes>(to + (y * kTileIn + x) * point_step + channel, points[x]);
  }
}

template <int Bytes>
NNRT_INLINE void transform_out(const float* from, int64_t point_step, int64_t channel, int64_t channels,
                               const F32Epilogue& epilogue, const TileOutput& tile) {
  using V = Vector<Bytes>;
  V rows[kTileOut][kTileIn];
#pragma GCC unroll 6
  for (int x = 0; x < kTileIn; ++x) {
    V column[kTileIn], values[kTileOut];
#pragma GCC unroll 6
    for (int y = 0; y < kTileIn; ++y)
      column[y] = load<Bytes>(from + (y * kTileIn + x) * point_step + channel);
    output_values(column, values);
#pragma GCC unroll 4
    for (int y = 0; y < kTileOut; ++y) rows[y][x] = values[y];
  }
  const V bias = load<Bytes>(epilogue.bias + channel);
#pragma GCC unroll 4
  for (int y = 0; y < kTileOut; ++y) {
    if (y >= tile.rows) return;
    V values[kTileOut];
    output_values(rows[y], values);
#pragma GCC unroll 4
    for (int x = 0; x < kTileOut; ++x) {
      if (x >= tile.columns) break;
      const int64_t at = y * tile.row_step + x * channels + channel;
      store<Bytes>(tile.to + at,
                   apply_epilogue<Bytes>(values[x], epilogue, bias,
                                         epilogue.other == nullptr ? nullptr : epilogue.other + at));
    }
  }
}

}  // namespace

void transform_input(int vector_bytes, const TileInput& tile, int64_t channels, float* to,
                     int64_t point_step) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        for (int64_t channel = 0; channel < channels; channel += kLanes)  // some may be computed again
          transform_in<bytes>(tile, std::min(channel, channels - kLanes), to, point_step);
      });
}

void transform_output(int vector_bytes, const float* from, int64_t point_step, int64_t channels,
                      const F32Epilogue& epilogue, const TileOutput& tile) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        int64_t channel = 0;
        for (; channel + kLanes <= channels; channel += kLanes)
          transform_out<bytes>(from, point_step, channel, channels, epilogue, tile);
        // One by one: nothing may be computed twice if the result lies over `epilogue.other`.
        for (; channel < channels; ++channel)
          transform_out<int(sizeof(float))>(from, point_step, channel, channels, epilogue, tile);
      });
}

void transform_kernel(const float taps[9], float points[kTilePoints]) {
  float rows[kTileIn][3];
  const auto kernel_points = [](float a, float b, float c, float to[kTileIn], int step) {
    const float even = a + c, outer = a + 4 * c;
    to[0] = a / 4;
    to[step] = -(even + b) / 6;
    to[2 * step] = -(even - b) / 6;
    to[3 * step] = (outer + 2 * b) / 24;
    to[4 * step] = (outer - 2 * b) / 24;
    to[5 * step] = c;
  };
  for (int x = 0; x < 3; ++x) kernel_points(taps[x], taps[3 + x], taps[6 + x], &rows[0][x], 3);
  for (int y = 0; y < kTileIn; ++y)
    kernel_points(rows[y][0], rows[y][1], rows[y][2], points + y * kTileIn, 1);
}

}  // namespace nnrt::cpu

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
