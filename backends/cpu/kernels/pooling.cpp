#include "backends/cpu/kernels/pooling.h"

#include "backends/cpu/base/activation_bounds.h"
#include "backends/cpu/base/element.h"
#include "backends/cpu/conv/kernel_taps.h"
#include "backends/cpu/kernels/int8_pooling_lines.h"
#include "backends/cpu/kernels/pooling_lines.h"
#include "backends/cpu/simd/byte_table.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace nnrt::cpu {
namespace {

// The part of a pooling window inside the input, for some of the channels.
template <typename T>
struct Cells {
  const T* first;  // first channel of the first cell
  int64_t rows, columns, row_step, column_step;
  int64_t channels;
};

// Calls compute(cells, result) for each output pixel, or for blocks of its channels if there are few pixels,
// on several threads.
template <typename T, typename Compute>
void for_pixels(const KernelArgs& args, const SpatialParams& spatial, const T* input, T* output,
                const Compute& compute) {
  const int64_t channels = args.node.shape(0)[3];
  const int64_t line = spatial.in[1] * channels;
  const int64_t pixels = args.node.shape(0)[0] * spatial.out[0] * spatial.out[1];
  // A window may extend far beyond the input; this bounds the cells actually read.
  const int64_t cells =
      std::min(spatial.kernel[0], spatial.in[0]) * std::min(spatial.kernel[1], spatial.in[1]);
  constexpr int64_t kManyPixels = 64, kGrain = 1 << 18;  // bytes read
  constexpr int64_t kBlock = 64;
  const int64_t block = pixels < kManyPixels ? std::min(channels, kBlock) : channels;
  const int64_t blocks = divide_up(channels, block);
  const int64_t work = std::max<int64_t>(cells * block, 1);
  args.pool.parallel_for(
      pixels * blocks, 1 + kGrain / int64_t(sizeof(T)) / work, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t pixel = i / blocks, channel = i % blocks * block;
          const int64_t x = pixel % spatial.out[1];
          const int64_t y = pixel / spatial.out[1] % spatial.out[0];
          const int64_t n = pixel / spatial.out[1] / spatial.out[0];
          const TapRange rows = taps_inside(spatial, 0, y), columns = taps_inside(spatial, 1, x);
          const int64_t top = n * spatial.in[0] + tap_origin(spatial, 0, y) + rows.begin;
          const int64_t left = tap_origin(spatial, 1, x) + columns.begin;
          compute(Cells<T>{input + top * line + left * channels + channel, rows.count(), columns.count(),
                           line, channels, std::min(block, channels - channel)},
                  output + pixel * channels + channel);
        }
      });
}

// Max or mean over a few vectors of channels.
template <int Bytes, int Count, bool Mean>
NNRT_INLINE void pool_channels(const Cells<float>& cells, int64_t channel, FloatBounds bounds,
                               float* result) {
  using V = Vector<Bytes>;
  constexpr int64_t kLanes = Bytes / int64_t{sizeof(float)};
  V best[Count];
  for (int i = 0; i < Count; ++i) best[i] = V{} + (Mean ? 0.0f : -std::numeric_limits<float>::infinity());
  for (int64_t y = 0; y < cells.rows; ++y) {
    V row[Count] = {};  // summed per row, which loses less precision on large planes
    for (int64_t x = 0; x < cells.columns; ++x) {
      const float* const cell = cells.first + y * cells.row_step + x * cells.column_step + channel;
      for (int i = 0; i < Count; ++i) {
        const V value = load<Bytes>(cell + i * kLanes);
        if constexpr (Mean) {
          row[i] += value;
        } else {
          best[i] = best[i] < value ? value : best[i];
        }
      }
    }
    if constexpr (Mean)
      for (int i = 0; i < Count; ++i) best[i] += row[i];
  }
  for (int i = 0; i < Count; ++i) {
    V value = best[i];
    if constexpr (Mean) value /= float(cells.rows * cells.columns);
    clamp_to(value, bounds.low, bounds.high);
    store<Bytes>(result + channel + i * kLanes, value);
  }
}

template <int Bytes, bool Mean>
NNRT_INLINE void pool_cells(const Cells<float>& cells, FloatBounds bounds, float* result) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  constexpr int kMax = 4;
  int64_t channel = 0;
  for (; channel + kMax * kLanes <= cells.channels; channel += kMax * kLanes)
    pool_channels<Bytes, kMax, Mean>(cells, channel, bounds, result);
  for (; channel + kLanes <= cells.channels; channel += kLanes)
    pool_channels<Bytes, 1, Mean>(cells, channel, bounds, result);
  if (channel == cells.channels) return;
  // The last vector may overlap the previous one.
  if (cells.channels >= kLanes)
    return pool_channels<Bytes, 1, Mean>(cells, cells.channels - kLanes, bounds, result);
  for (; channel < cells.channels; ++channel)
    pool_channels<int(sizeof(float)), 1, Mean>(cells, channel, bounds, result);
}

template <bool Mean>
Status pool_floats(const KernelArgs& args, const SpatialParams& spatial) {
  const FloatInput input(args, 0);
  FloatOutput output(args);
  const FloatBounds bounds = bounds_of(activation_of(args.node.attrs()));
  const Shape& shape = args.node.shape(0);
  if (suits_lines(spatial, shape[3])) {
    const PooledImages images{spatial, shape[0], shape[3], Mean, bounds};
    pool_lines(images, input.data(), args.pool, *args.scratch, output.data());
    output.store();
    return {};
  }
  for_pixels<float>(args, spatial, input.data(), output.data(),
                    [&](const Cells<float>& cells, float* result) {
                      with_vectors(
                          vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
                            pool_cells<bytes, Mean>(cells, bounds, result);
                          });
                    });
  output.store();
  return {};
}

// Calls take(cell) with the channels of each cell from `first` on.
template <typename T, typename Take>
NNRT_INLINE void for_cells(const Cells<T>& cells, int64_t first, const Take& take) {
  for (int64_t y = 0; y < cells.rows; ++y)
    for (int64_t x = 0; x < cells.columns; ++x)
      take(cells.first + y * cells.row_step + x * cells.column_step + first);
}

constexpr int64_t kInt8PoolBlock = 256;  // channels processed at once

NNRT_INLINE void max_of(const Cells<int8_t>& cells, int64_t first, int64_t count, int8_t* max_values) {
  std::fill_n(max_values, count, int8_t(-128));
  for_cells(
      cells, first, [&](const int8_t* cell) __attribute__((always_inline)) {
        for (int64_t c = 0; c < count; ++c) max_values[c] = max_values[c] < cell[c] ? cell[c] : max_values[c];
      });
}

// Adds `pixels` runs of `count` values, `step` apart.
NNRT_INLINE void add_runs(const int8_t* from, int64_t step, int64_t pixels, int64_t count, int32_t* sums) {
  constexpr int kAtOnce = 8;  // their sum fits in 16 bits
  for (; pixels >= kAtOnce; pixels -= kAtOnce, from += kAtOnce * step)
    for (int64_t c = 0; c < count; ++c) {
      int16_t sum = 0;
#pragma GCC unroll 8
      for (int k = 0; k < kAtOnce; ++k) sum = int16_t(sum + from[k * step + c]);
      sums[c] += sum;
    }
  for (; pixels > 0; --pixels, from += step)
    for (int64_t c = 0; c < count; ++c) sums[c] += from[c];
}

// `sums` holds kInt8PoolBlock values, at least `count`.
NNRT_INLINE void sum_of(const Cells<int8_t>& cells, int64_t first, int64_t count, int32_t* sums) {
  const bool is_run = cells.row_step == cells.columns * cells.column_step;
  const int64_t rows = is_run ? 1 : cells.rows;
  const int64_t columns = is_run ? cells.rows * cells.columns : cells.columns;
  // Long rows of few channels: sums several pixels as one wide pixel.
  constexpr int64_t kMostPixels = 64;
  const int64_t most = cells.column_step == count
                           ? int64_t(std::bit_floor(uint64_t(std::min(kInt8PoolBlock / count, kMostPixels))))
                           : 1;
  const int64_t folded = columns >= 2 * most ? most : 1, width = folded * count;
  std::fill_n(sums, width, 0);
  for (int64_t y = 0; y < rows; ++y) {
    const int8_t* const row = cells.first + y * cells.row_step + first;
    const int64_t groups = columns / folded, rest = groups * folded;
    add_runs(row, folded * cells.column_step, groups, width, sums);
    add_runs(row + rest * cells.column_step, cells.column_step, columns - rest, count, sums);
  }
  for (int64_t half = width / 2; half >= count; half /= 2)
    for (int64_t c = 0; c < half; ++c) sums[c] += sums[half + c];
}

// Quantizes means like quantize<int8_t>(), `Even` for ties to even.
struct MeanFormula {
  double scale, size, offset;  // of the input; `offset` is the sum of zero points
  double low, high;            // bounds of the activation
  Affine to;
};
template <bool Even, typename Sum>
NNRT_INLINE void quantize_means(const MeanFormula& formula, const Sum* sums, int64_t count, int8_t* to) {
  constexpr double kFar = 1e9;
  const MeanFormula f = formula;
  for (int64_t c = 0; c < count; ++c) {
    double value = f.scale * (double(sums[c]) - f.offset) / f.size;
    value = value < f.low ? f.low : value;
    value = value > f.high ? f.high : value;
    value /= f.to.scale;
    if constexpr (Even) value = double(float(value));
    value = value > -kFar ? value : -kFar;
    value = value < kFar ? value : kFar;
    const double code = double(nearest(value, Even)) + double(f.to.zero_point);
    to[c] = int8_t(int32_t(code < -128 ? -128 : code > 127 ? 127 : code));
  }
}

// Maps each input code (as a byte) to the result's code.
ByteTable quantized_result(const NodeView& node) {
  const DequantizeTable floats = dequantize_table(node.input(0));
  const Affine affine = affine_of(node.output(0));
  const Activation activation = activation_of(node.attrs());
  ByteTable quantized{};
  for (size_t i = 0; i < quantized.size(); ++i)
    quantized[i] = uint8_t(quantize<int8_t>(double(apply_activation(activation, float(floats[i]))), affine));
  return quantized;
}

Status max_quantized(const KernelArgs& args, const SpatialParams& spatial) {
  const ByteTable quantized = quantized_result(args.node);
  bool same = true;
  for (size_t code = 0; code < quantized.size(); ++code) same = same && quantized[code] == code;
  if (Int8LinePool<false>::supports(spatial)) {
    const int64_t values = spatial.out[1] * args.node.shape(0)[3];
    for_pooled_lines<false>(
        args, spatial,
        [&](const auto&, const int8_t* line, int8_t* result, int64_t) __attribute__((always_inline)) {
          auto* const bytes = reinterpret_cast<uint8_t*>(result);
          std::copy_n(line, values, result);
          if (!same) map_bytes(quantized, bytes, bytes, values);
        });
    return {};
  }
  for_pixels<int8_t>(args, spatial, args.input<int8_t>(0), args.output<int8_t>(),
                     [&](const Cells<int8_t>& cells, int8_t* result) {
                       with_vectors(
                           vector_bytes(), [&](auto) __attribute__((always_inline)) {
                             for (int64_t first = 0; first < cells.channels; first += kInt8PoolBlock) {
                               const int64_t count = std::min(kInt8PoolBlock, cells.channels - first);
                               int8_t max_values[kInt8PoolBlock];
                               max_of(cells, first, count, max_values);
                               std::copy_n(max_values, count, result + first);
                             }
                           });
                       if (same) return;
                       auto* const bytes = reinterpret_cast<uint8_t*>(result);
                       map_bytes(quantized, bytes, bytes, cells.channels);
                     });
  return {};
}

// Quantizes sums of `size` cells each.
class MeanOutput {
 public:
  explicit MeanOutput(const NodeView& node)
      : from_(affine_of(node.input(0))),
        to_(affine_of(node.output(0))),
        activation_(activation_of(node.attrs())) {}

  template <typename Sum>
  NNRT_INLINE void store(const Sum* sums, int64_t size, int64_t count, int8_t* result) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const MeanFormula formula{from_.scale,
                              double(size),
                              double(size) * from_.zero_point,
                              activation_ == Activation::none ? -kInfinity : 0,
                              activation_ == Activation::relu6 ? 6 : kInfinity,
                              to_};
    if (to_.ties_to_even) return quantize_means<true>(formula, sums, count, result);
    quantize_means<false>(formula, sums, count, result);
  }

 private:
  Affine from_, to_;
  Activation activation_;
};

void mean_of_lines(const KernelArgs& args, const SpatialParams& spatial, const MeanOutput& output) {
  const int64_t channels = args.node.shape(0)[3];
  for_pooled_lines<true>(
      args, spatial,
      [&](const Int8LinePool<true>& pool, const int16_t* line, int8_t* result, int64_t y)
          __attribute__((always_inline)) {
            const int64_t rows = taps_inside(spatial, 0, y).count();
            const int64_t first = pool.first_inside(), end = pool.end_inside();
            output.store(line + first * channels, rows * spatial.kernel[1], (end - first) * channels,
                         result + first * channels);
            for (int64_t x = 0; x < spatial.out[1]; ++x) {
              if (x >= first && x < end) continue;
              output.store(line + x * channels, rows * taps_inside(spatial, 1, x).count(), channels,
                           result + x * channels);
            }
          });
}

Status mean_quantized(const KernelArgs& args, const SpatialParams& spatial) {
  const MeanOutput output(args.node);
  if (Int8LinePool<true>::supports(spatial)) {
    mean_of_lines(args, spatial, output);
    return {};
  }
  for_pixels<int8_t>(args, spatial, args.input<int8_t>(0), args.output<int8_t>(),
                     [&](const Cells<int8_t>& cells, int8_t* result) {
                       with_vectors(
                           vector_bytes(), [&](auto) __attribute__((always_inline)) {
                             for (int64_t first = 0; first < cells.channels; first += kInt8PoolBlock) {
                               const int64_t count = std::min(kInt8PoolBlock, cells.channels - first);
                               int32_t sums[kInt8PoolBlock];
                               sum_of(cells, first, count, sums);
                               output.store(sums, cells.rows * cells.columns, count, result + first);
                             }
                           });
                     });
  return {};
}

bool has_quantized(const NodeView& node) { return node.is_quantized() && node.dtype() == DType::i8; }

}  // namespace

Status avg_pool(const KernelArgs& args) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(args.node));
  // Sums of more values could overflow 32 bits.
  constexpr int64_t kMaxCells = 1 << 23;
  const bool fits = spatial.kernel[0] * spatial.kernel[1] <= kMaxCells;
  if (has_quantized(args.node) && fits) return mean_quantized(args, spatial);
  return pool_floats<true>(args, spatial);
}

Status max_pool(const KernelArgs& args) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(args.node));
  if (has_quantized(args.node)) return max_quantized(args, spatial);
  return pool_floats<false>(args, spatial);
}

}  // namespace nnrt::cpu
