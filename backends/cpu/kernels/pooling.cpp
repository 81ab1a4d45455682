#include "backends/cpu/kernels/pooling.h"

#include "backends/cpu/base/activation_bounds.h"
#include "backends/cpu/base/element.h"
#include "backends/cpu/conv/kernel_taps.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <array>
#include <limits>

namespace nnrt::cpu {
namespace {

// The part of a pooling window inside the input.
template <typename T>
struct Cells {
  const T* first;  // first channel of the first cell
  int64_t rows, columns, row_step, column_step;
  int64_t channels;
};

// Calls compute(cells, result) for each output pixel, on several threads.
template <typename T, typename Compute>
void for_pixels(const KernelArgs& args, const SpatialParams& spatial, const T* input, T* output,
                const Compute& compute) {
  const int64_t channels = args.node.shape(0)[3];
  const int64_t line = spatial.in[1] * channels;
  const int64_t pixels = args.node.shape(0)[0] * spatial.out[0] * spatial.out[1];
  // A window may extend far beyond the input; this bounds the cells actually read.
  const int64_t cells =
      std::min(spatial.kernel[0], spatial.in[0]) * std::min(spatial.kernel[1], spatial.in[1]);
  const int64_t work = std::max<int64_t>(cells * channels, 1);
  constexpr int64_t kGrain = 1 << 16;  // bytes read
  args.pool.parallel_for(pixels, 1 + kGrain / int64_t(sizeof(T)) / work, [&](int64_t begin, int64_t end) {
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      const int64_t x = pixel % spatial.out[1];
      const int64_t y = pixel / spatial.out[1] % spatial.out[0];
      const int64_t n = pixel / spatial.out[1] / spatial.out[0];
      const TapRange rows = taps_inside(spatial, 0, y), columns = taps_inside(spatial, 1, x);
      const int64_t top = n * spatial.in[0] + tap_origin(spatial, 0, y) + rows.begin;
      const int64_t left = tap_origin(spatial, 1, x) + columns.begin;
      compute(Cells<T>{input + top * line + left * channels, rows.count(), columns.count(), line, channels,
                       channels},
              output + pixel * channels);
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

NNRT_INLINE void sum_of(const Cells<int8_t>& cells, int64_t first, int64_t count, int32_t* sums) {
  std::fill_n(sums, count, 0);
  for_cells(
      cells, first, [&](const int8_t* cell) __attribute__((always_inline)) {
        for (int64_t c = 0; c < count; ++c) sums[c] += cell[c];
      });
}

// Maps each input code (as a byte) to the result's code.
std::array<int8_t, 256> quantized_result(const NodeView& node) {
  const DequantizeTable floats = dequantize_table(node.input(0));
  const Affine affine = affine_of(node.output(0));
  const Activation activation = activation_of(node.attrs());
  std::array<int8_t, 256> quantized{};
  for (size_t i = 0; i < quantized.size(); ++i)
    quantized[i] = quantize<int8_t>(double(apply_activation(activation, float(floats[i]))), affine);
  return quantized;
}

Status max_quantized(const KernelArgs& args, const SpatialParams& spatial) {
  const std::array<int8_t, 256> quantized = quantized_result(args.node);
  bool same = true;
  for (int code = -128; code < 128; ++code) same = same && quantized[uint8_t(code)] == code;
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
                       for (int64_t c = 0; c < cells.channels; ++c) result[c] = quantized[uint8_t(result[c])];
                     });
  return {};
}

Status mean_quantized(const KernelArgs& args, const SpatialParams& spatial) {
  const Affine from = affine_of(args.node.input(0)), to = affine_of(args.node.output(0));
  const Activation activation = activation_of(args.node.attrs());
  for_pixels<int8_t>(args, spatial, args.input<int8_t>(0), args.output<int8_t>(),
                     [&](const Cells<int8_t>& cells, int8_t* result) {
                       const int64_t size = cells.rows * cells.columns;
                       for (int64_t first = 0; first < cells.channels; first += kInt8PoolBlock) {
                         const int64_t count = std::min(kInt8PoolBlock, cells.channels - first);
                         int32_t sums[kInt8PoolBlock];
                         with_vectors(
                             vector_bytes(), [&](auto) __attribute__((always_inline)) {
                               sum_of(cells, first, count, sums);
                             });
                         for (int64_t c = 0; c < count; ++c) {
                           const double mean =
                               from.scale * double(sums[c] - size * from.zero_point) / double(size);
                           result[first + c] = quantize<int8_t>(apply_activation(activation, mean), to);
                         }
                       }
                     });
  return {};
}

bool has_quantized(const NodeView& node) { return node.is_quantized() && node.dtype() == DType::i8; }

}  // namespace

Status avg_pool(const KernelArgs& args) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(args.node));
  // Sums of more values could overflow 32 bits.
  constexpr int64_t kMaxCells = 1 << 23;
  if (has_quantized(args.node) && spatial.kernel[0] * spatial.kernel[1] <= kMaxCells)
    return mean_quantized(args, spatial);
  return pool_floats<true>(args, spatial);
}

Status max_pool(const KernelArgs& args) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(args.node));
  return has_quantized(args.node) ? max_quantized(args, spatial) : pool_floats<false>(args, spatial);
}

}  // namespace nnrt::cpu
