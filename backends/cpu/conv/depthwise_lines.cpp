#include "backends/cpu/conv/depthwise_lines.h"

#include "backends/cpu/simd/vector_math.h"

namespace nnrt::cpu {
namespace {

// Neighboring output pixels whose taps (within the ranges) are all inside the input.
struct Run {
  const float* in;      // under tap (0, 0) of the first pixel
  const float* weight;  // for tap (0, 0)
  TapRange rows, columns;
  int64_t row_step, column_step, pixel_step;  // in the input
  int64_t kernel_width, channels, weight_step;
  const float* bias;
  float low, high;  // results are clamped to these
};

// Stores the results of `Pixels` pixels for one vector of channels.
template <int Bytes, int Pixels>
NNRT_INLINE void store_sums(const Run& run, int64_t channel, const Vector<Bytes> (&totals)[Pixels],
                            float* sums) {
  using V = Vector<Bytes>;
  const V bias = load<Bytes>(run.bias + channel);
  for (int p = 0; p < Pixels; ++p) {
    V sum = totals[p] + bias;
    clamp_to(sum, run.low, run.high);
    store<Bytes>(sums + p * run.channels + channel, sum);
  }
}

template <int Bytes, int Pixels>
[[gnu::always_inline]] inline void sum_pixels(const Run& run, int64_t channel, float* sums) {
  using V = Vector<Bytes>;
  V totals[Pixels] = {};
  for (int64_t u = run.rows.begin; u < run.rows.end; ++u) {
    for (int64_t v = run.columns.begin; v < run.columns.end; ++v) {
      const float* in = run.in + u * run.row_step + v * run.column_step + channel;
      const float* weight = run.weight + (u * run.kernel_width + v) * run.weight_step + channel;
      const V w = load<Bytes>(weight);
      for (int p = 0; p < Pixels; ++p) totals[p] += w * load<Bytes>(in + p * run.pixel_step);
    }
  }
  store_sums<Bytes>(run, channel, totals, sums);
}

// Calls sum(std::integral_constant<int, bytes>, channel) for each vector of channels; the last vector may
// overlap the previous one. Vectors are shorter if there are fewer channels than lanes.
template <int Bytes, typename Sum>
[[gnu::always_inline]] inline void for_channels(int64_t channels, const Sum& sum) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  if constexpr (Bytes > int(sizeof(float))) {
    if (channels < kLanes) {
      constexpr int kShorter = Bytes > 16 ? Bytes / 2 : int(sizeof(float));
      return for_channels<kShorter>(channels, sum);
    }
  }
  int64_t channel = 0;
  for (; channel + kLanes <= channels; channel += kLanes) sum(std::integral_constant<int, Bytes>{}, channel);
  if (channel < channels) sum(std::integral_constant<int, Bytes>{}, channels - kLanes);
}

template <int Bytes, int Pixels>
[[gnu::always_inline]] inline void sum_channels(const Run& run, float* sums) {
  for_channels<Bytes>(
      run.channels, [&](auto bytes, int64_t channel)
                        __attribute__((always_inline)) { sum_pixels<bytes, Pixels>(run, channel, sums); });
}

// Like sum_pixels(), for a known kernel width and stride without dilation: each input column is loaded once
// for all pixels that use it. Columns outside [0, width) are skipped.
template <int Bytes, int Pixels, int Width, int Stride>
[[gnu::always_inline]] inline void sum_columns(const Run& run, int64_t first_column, int64_t width,
                                               int64_t channel, float* sums) {
  using V = Vector<Bytes>;
  V totals[Pixels] = {};
  for (int64_t u = run.rows.begin; u < run.rows.end; ++u) {
    const float* const in = run.in + u * run.row_step + channel;
    V weight[Width];
#pragma GCC unroll 8
    for (int v = 0; v < Width; ++v)
      weight[v] = load<Bytes>(run.weight + (u * Width + v) * run.weight_step + channel);
#pragma GCC unroll 32
    for (int column = 0; column < (Pixels - 1) * Stride + Width; ++column) {
      if (uint64_t(first_column + column) >= uint64_t(width)) continue;
      const V x = load<Bytes>(in + column * run.channels);
#pragma GCC unroll 8
      for (int p = 0; p < Pixels; ++p) {
        const int v = column - p * Stride;
        if (v >= 0 && v < Width) totals[p] += x * weight[v];
      }
    }
  }
  store_sums<Bytes>(run, channel, totals, sums);
}

// Pixels [x, end) of a row, in runs of `Pixels`, then shorter ones. Run::in points at column 0.
template <int Bytes, int Pixels, int Width, int Stride>
[[gnu::always_inline]] inline void sum_line(const SpatialParams& spatial, const Run& line, int64_t x,
                                            float* sums) {
  for (; x + Pixels <= spatial.out[1]; x += Pixels) {
    const int64_t first_column = tap_origin(spatial, 1, x);
    Run run = line;
    run.in += first_column * run.channels;
    constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
    for (int64_t channel = 0; channel < run.channels; channel += kLanes)  // the last vector may overlap
      sum_columns<Bytes, Pixels, Width, Stride>(run, first_column, spatial.in[1],
                                                std::min(channel, run.channels - kLanes),
                                                sums + x * run.channels);
  }
  if constexpr (Pixels > 1) sum_line<Bytes, Pixels / 2, Width, Stride>(spatial, line, x, sums);
}

// Returns whether a specialized kernel computed the row.
bool sum_known_line(const SpatialParams& spatial, const Run& line, float* sums) {
  if (spatial.dilation[1] != 1) return false;
  const auto has = [&](int64_t width, int64_t stride) {
    return spatial.kernel[1] == width && spatial.stride[1] == stride;
  };
  bool known = false;
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        if constexpr (bytes > 16) {  // with fewer registers, fewer pixels at once would be needed
          if (line.channels < bytes / int64_t(sizeof(float))) return;
          known = true;
          if (has(3, 1)) return sum_line<bytes, 8, 3, 1>(spatial, line, 0, sums);
          if (has(3, 2)) return sum_line<bytes, 4, 3, 2>(spatial, line, 0, sums);
          if (has(5, 1)) return sum_line<bytes, 8, 5, 1>(spatial, line, 0, sums);
          if (has(5, 2)) return sum_line<bytes, 4, 5, 2>(spatial, line, 0, sums);
          if (has(7, 1)) return sum_line<bytes, 8, 7, 1>(spatial, line, 0, sums);
          if (has(7, 2)) return sum_line<bytes, 4, 7, 2>(spatial, line, 0, sums);
          known = false;
        }
      });
  return known;
}

constexpr int kRunPixels = 4;

void sum_run(bool is_full, const Run& run, float* sums) {
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        if (is_full) return sum_channels<bytes, kRunPixels>(run, sums);
        sum_channels<bytes, 1>(run, sums);
      });
}

// The first pixels of row y.
Run run_of(const DepthwiseLayer& layer, const float* image, int64_t y) {
  const SpatialParams& spatial = layer.spatial;
  const int64_t channels = layer.channels, line = spatial.in[1] * channels;
  Run run{};
  run.weight = layer.weight;
  run.bias = layer.epilogue.bias;
  run.low = layer.epilogue.low;
  run.high = layer.epilogue.high;
  run.rows = taps_inside(spatial, 0, y);
  run.row_step = spatial.dilation[0] * line;
  run.column_step = spatial.dilation[1] * channels;
  run.pixel_step = spatial.stride[1] * channels;
  run.kernel_width = spatial.kernel[1];
  run.channels = channels;
  run.weight_step = layer.weight_step;
  run.in = image + tap_origin(spatial, 0, y) * line;
  return run;
}

}  // namespace

void sum_depthwise_pixels(const DepthwiseLayer& layer, const float* image, int64_t y, TapRange pixels,
                          float* sums) {
  const SpatialParams& spatial = layer.spatial;
  Run run = run_of(layer, image, y);
  const float* const first = run.in;
  for (int64_t x = pixels.begin; x < pixels.end;) {
    run.columns = taps_inside(spatial, 1, x);
    const int64_t last = x + kRunPixels - 1;
    const bool is_full = run.columns.count() == spatial.kernel[1] && last < pixels.end &&
                         taps_inside(spatial, 1, last).count() == spatial.kernel[1];
    run.in = first + tap_origin(spatial, 1, x) * layer.channels;
    sum_run(is_full, run, sums + x * layer.channels);
    x += is_full ? kRunPixels : 1;
  }
}

void DepthwiseRows::operator()(const float* image, int64_t y, float* sums) {
  if (lines_ != nullptr) return sum_flat_row(image, y, sums);
  const SpatialParams& spatial = layer_.spatial;
  if (sum_known_line(spatial, run_of(layer_, image, y), sums)) return;
  sum_depthwise_pixels(layer_, image, y, {0, spatial.out[1]}, sums);
}

}  // namespace nnrt::cpu
