#include "backends/cpu/conv/winograd_transforms.h"

#include "backends/cpu/gemm/f32_epilogue.h"
#include "backends/cpu/simd/transpose.h"
#include "backends/cpu/simd/vector_math.h"
#include "core/passes/winograd_range.h"

#include <algorithm>
#include <bit>
#include <cstring>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {
namespace {

// Interpolation points: 0, 1, -1, 2, -2 and infinity.
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

template <typename I>
NNRT_INLINE int32_t max_lane(const I& lanes) {
  int32_t largest = lanes[0];
  for (size_t i = 1; i < sizeof(I) / sizeof(int32_t); ++i) largest = std::max<int32_t>(largest, lanes[i]);
  return largest;
}

// Returns whether any lane is nonzero.
template <typename I>
NNRT_INLINE bool has_lane(const I& lanes) {
  int64_t pairs[sizeof(I) / sizeof(int64_t)], all = 0;
  std::memcpy(pairs, &lanes, sizeof lanes);
  for (const int64_t pair : pairs) all |= pair;
  return all != 0;
}

template <int Bytes>
NNRT_INLINE void transform_in(const TileInput& tile, int64_t channel, float* to, int64_t point_step,
                              Ints<Bytes>& largest) {
  using V = Vector<Bytes>;
  V rows[kTileIn][kTileIn];
#pragma GCC unroll 6
  for (int x = 0; x < kTileIn; ++x) {
    V column[kTileIn], points[kTileIn];
#pragma GCC unroll 6
    for (int y = 0; y < kTileIn; ++y) {
      const float* const pixel = tile.pixels[y * kTileIn + x];
      column[y] = pixel != nullptr ? load<Bytes>(pixel + channel) : V{};
      // Magnitudes compare like their bit patterns.
      const Ints<Bytes> bits = __builtin_bit_cast(Ints<Bytes>, column[y]) & 0x7fffffff;
      largest = largest > bits ? largest : bits;
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

// Applies the epilogue to one row of results.
template <int Bytes>
NNRT_INLINE void store_row(const Vector<Bytes> (&values)[kTileOut], int64_t at, int64_t channels,
                           const F32Epilogue& epilogue, Vector<Bytes> bias, const TileOutput& tile) {
#pragma GCC unroll 4
  for (int x = 0; x < kTileOut; ++x, at += channels) {
    if (x >= tile.columns) break;
    const auto other = [&]() __attribute__((always_inline)) { return load<Bytes>(epilogue.other + at); };
    store<Bytes>(tile.to + at, apply_epilogue<Bytes>(values[x], epilogue, bias, other));
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
    store_row<Bytes>(values, y * tile.row_step + channel, channels, epilogue, bias, tile);
  }
}

// Like transform_out(), for points that already hold results.
template <int Bytes>
NNRT_INLINE void copy_out(const float* from, int64_t point_step, int64_t channel, int64_t channels,
                          const F32Epilogue& epilogue, const TileOutput& tile) {
  const Vector<Bytes> bias = load<Bytes>(epilogue.bias + channel);
  for (int y = 0; y < tile.rows; ++y) {
    Vector<Bytes> values[kTileOut] = {};
    for (int x = 0; x < tile.columns; ++x)
      values[x] = load<Bytes>(from + (y * kTileOut + x) * point_step + channel);
    store_row<Bytes>(values, y * tile.row_step + channel, channels, epilogue, bias, tile);
  }
}

// All products are by powers of two, so contracting them to FMA does not change the result.
template <typename V>
NNRT_INLINE void kernel_points(const V& a, const V& b, const V& c, V (&to)[kTileIn]) {
  const V even = a + c, outer = a + 4.0f * c;
  to[0] = a / 4.0f;
  to[1] = -(even + b) / 6.0f;
  to[2] = -(even - b) / 6.0f;
  to[3] = (outer + 2.0f * b) / 24.0f;
  to[4] = (outer - 2.0f * b) / 24.0f;
  to[5] = c;
}

template <int Bytes>
NNRT_INLINE void transform_taps(const float* taps, int64_t tap_step, float* to, int64_t point_step) {
  using V = Vector<Bytes>;
  V rows[kTileIn][3];
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) {
    V points[kTileIn];
    kernel_points(load<Bytes>(taps + x * tap_step), load<Bytes>(taps + (3 + x) * tap_step),
                  load<Bytes>(taps + (6 + x) * tap_step), points);
#pragma GCC unroll 6
    for (int y = 0; y < kTileIn; ++y) rows[y][x] = points[y];
  }
#pragma GCC unroll 6
  for (int y = 0; y < kTileIn; ++y) {
    V points[kTileIn];
    kernel_points(rows[y][0], rows[y][1], rows[y][2], points);
#pragma GCC unroll 6
    for (int x = 0; x < kTileIn; ++x) store<Bytes>(to + (y * kTileIn + x) * point_step, points[x]);
  }
}

// Input channels of the kernels, contiguous per tap.
struct TapRows {
  const float* data;
  int64_t tap_step, step;  // between taps, and between output channels
};

// Copies `count` input channels from kernels that end with the taps.
NNRT_INLINE TapRows sort_taps(const WinogradKernels& kernels, int64_t first, int64_t count, float* to) {
  for (int64_t out = 0; out < kernels.count; ++out) {
    const float* const from = kernels.data + (out * kernels.in + first) * kKernelTaps;
    float* const row = to + out * kKernelTaps * count;
    for (int64_t tap = 0; tap < kKernelTaps; ++tap)
      for (int64_t i = 0; i < count; ++i) row[tap * count + i] = from[i * kKernelTaps + tap];
  }
  return {to, count, kKernelTaps * count};
}

}  // namespace

float transform_input(int vector_bytes, const TileInput& tile, int64_t channels, float small, float* to,
                      int64_t point_step) {
  const auto small_bits = std::bit_cast<int32_t>(small);
  int32_t largest = 0;
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        Ints<bytes> lanes{};
        for (int64_t channel = 0; channel < channels; channel += kLanes)  // the last vector may overlap
          transform_in<bytes>(tile, std::min(channel, channels - kLanes), to, point_step, lanes);
        if (has_lane(lanes > small_bits)) largest = max_lane(lanes);
      });
  return std::bit_cast<float>(largest);
}

bool is_uneven(const TileInput& tile, float largest, int64_t channels, int rows, int columns) {
  constexpr int kCentral[] = {14, 15, 20, 21};  // every result reads one of these pixels
  const auto is_within = [&](float read) { return largest <= kWinogradRange * std::max(read, 1.0f); };
  const auto magnitude_of = [&](int i) {
    return tile.pixels[i] == nullptr ? 0.0f : max_magnitude({tile.pixels[i], size_t(channels)});
  };
  if (std::ranges::all_of(kCentral, [&](int i) { return is_within(magnitude_of(i)); })) return false;
  float magnitudes[kTilePoints];
  for (int i = 0; i < kTilePoints; ++i) magnitudes[i] = magnitude_of(i);
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      float read = 0;
      for (int tap = 0; tap < 9; ++tap)
        read = std::max(read, magnitudes[(y + tap / 3) * kTileIn + x + tap % 3]);
      if (!is_within(read)) return true;
    }
  }
  return false;
}

void transform_output(int vector_bytes, const float* from, int64_t point_step, int64_t channels,
                      const F32Epilogue& epilogue, const TileOutput& tile) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        int64_t channel = 0;
        for (; channel + kLanes <= channels && !tile.has_results; channel += kLanes)
          transform_out<bytes>(from, point_step, channel, channels, epilogue, tile);
        // Scalar tail: nothing may be computed twice if the result aliases `epilogue.other`.
        for (; channel < channels && !tile.has_results; ++channel)
          transform_out<int(sizeof(float))>(from, point_step, channel, channels, epilogue, tile);
        for (; channel < channels; ++channel)
          copy_out<int(sizeof(float))>(from, point_step, channel, channels, epilogue, tile);
      });
}

void transform_kernels(int vector_bytes, const WinogradKernels& kernels, int64_t lanes, float* to,
                       int64_t point_step) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        for (int64_t channel = 0; channel < kernels.in; channel += kLanes) {  // the last vector may overlap
          const int64_t first = std::min(channel, kernels.in - kLanes);
          alignas(64) float taps[kKernelTaps][kLanes * kMaxFloatColumns];
          alignas(64) float sorted[kMaxFloatColumns * kKernelTaps * kLanes];
          TapRows rows{kernels.data + first, kernels.in, kKernelTaps * kernels.in};
          if (kernels.taps_last) rows = sort_taps(kernels, first, kLanes, sorted);
          for (int64_t tap = 0; tap < kKernelTaps; ++tap)
            transpose_rows<bytes>({rows.data + tap * rows.tap_step, rows.step, kernels.count, kLanes}, lanes,
                                  taps[tap]);
          for (int64_t i = 0; i < kLanes * lanes; i += kLanes)
            transform_taps<bytes>(&taps[0][i], kLanes * kMaxFloatColumns, to + first * lanes + i, point_step);
        }
      });
}

}  // namespace nnrt::cpu

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
