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

// Like sum_pixels(), for `Rows` neighboring rows and a known kernel width and stride without dilation, so
// that a vector of the input is loaded once for all pixels that use it. Two rows need a square kernel and
// equal strides. `Inside`: all columns are inside the image; otherwise those outside are skipped. Run::in
// points at column 0, Run::rows are the lines under the rows that are inside the image.
template <int Bytes, int Rows, int Pixels, int Width, int Stride, bool Inside>
[[gnu::always_inline]] inline void sum_columns(const Run& run, const SpatialParams& spatial, int64_t x,
                                               int64_t channel, float* sums) {
  using V = Vector<Bytes>;
  const int64_t first_column = tap_origin(spatial, 1, x);
  V totals[Rows][Pixels] = {};
  const auto add_line = [&](int64_t line) __attribute__((always_inline)) {
    V weight[Rows][Width];
#pragma GCC unroll 2
    for (int row = 0; row < Rows; ++row) {
      const int64_t u = line - row * Stride;
      if (Rows > 1 && (u < 0 || u >= Width)) continue;
#pragma GCC unroll 8
      for (int v = 0; v < Width; ++v)
        weight[row][v] = load<Bytes>(run.weight + (u * Width + v) * run.weight_step + channel);
    }
    const float* in = run.in + line * run.row_step + first_column * run.channels + channel;
#pragma GCC unroll 32
    for (int column = 0; column < (Pixels - 1) * Stride + Width; ++column, in += run.channels) {
      asm("" : "+r"(in));  // otherwise g++ keeps an index per column, on the stack
      if (!Inside && uint64_t(first_column + column) >= uint64_t(spatial.in[1])) continue;
      const V input = load<Bytes>(in);
#pragma GCC unroll 8
      for (int p = 0; p < Pixels; ++p) {
        const int v = column - p * Stride;
        if (v < 0 || v >= Width) continue;
#pragma GCC unroll 2
        for (int row = 0; row < Rows; ++row) {
          const int64_t u = line - row * Stride;
          if (Rows == 1 || (u >= 0 && u < Width))
            totals[row][p] = multiply_add<Bytes>(input, weight[row][v], totals[row][p]);
        }
      }
    }
  };
  if constexpr (Rows == 1) {
    for (int64_t line = run.rows.begin; line < run.rows.end; ++line) add_line(line);
  } else {
#pragma GCC unroll 16
    for (int line = 0; line < Stride + Width; ++line)
      if (line >= run.rows.begin && line < run.rows.end) add_line(line);
  }
#pragma GCC unroll 2
  for (int row = 0; row < Rows; ++row)
    store_sums<Bytes, Pixels>(run, channel, totals[row], sums + (row * spatial.out[1] + x) * run.channels);
}

// Pixels [x, end) of the rows in blocks, of which the last one may overlap pixels before it.
template <int Bytes, int Rows, int Pixels, int Width, int Stride, bool Inside = false>
[[gnu::always_inline]] inline void sum_blocks(const Run& run, const SpatialParams& spatial, int64_t x,
                                              int64_t end, float* sums) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  for (; x < end; x += Pixels)
    for (int64_t channel = 0; channel < run.channels; channel += kLanes)
      sum_columns<Bytes, Rows, Pixels, Width, Stride, Inside>(
          run, spatial, std::min<int64_t>(x, end - Pixels), std::min(channel, run.channels - kLanes), sums);
}

// Rows of at least kBorderPixels pixels: small blocks at the borders, larger ones between them.
constexpr int kBorderPixels = 4;
template <int Bytes, int Rows, int Width, int Stride>
[[gnu::always_inline]] inline void sum_rows(const Run& run, const SpatialParams& spatial, float* sums) {
  constexpr int kPixels = Bytes == 64 ? 8 : 8 / Rows;  // sums fill up to half of the registers
  const auto whole = [](int64_t pixels, int64_t block) {
    return std::max<int64_t>(pixels, 0) / block * block;
  };
  const TapRange inner = inner_outputs(spatial, 1);
  const int64_t begin = std::min(whole(inner.begin + kBorderPixels - 1, kBorderPixels), spatial.out[1]);
  const int64_t end = begin + whole(inner.end - begin, kPixels);
  sum_blocks<Bytes, Rows, kBorderPixels, Width, Stride>(run, spatial, 0, begin, sums);
  sum_blocks<Bytes, Rows, kPixels, Width, Stride, true>(run, spatial, begin, end, sums);
  sum_blocks<Bytes, Rows, kBorderPixels, Width, Stride>(run, spatial, end, spatial.out[1], sums);
}

// The first one or two rows; returns how many.
template <int Bytes, int Width, int Stride>
[[gnu::always_inline]] inline int64_t sum_first_rows(const DepthwiseLayer& layer, const float* image,
                                                     TapRange rows, float* sums) {
  const SpatialParams& spatial = layer.spatial;
  Run run = run_of(layer, image, rows.begin);
  if (spatial.out[1] < kBorderPixels) {
    sum_blocks<Bytes, 1, 1, Width, Stride>(run, spatial, 0, spatial.out[1], sums);
    return 1;
  }
  if (rows.count() < 2 || spatial.dilation[0] != 1 || spatial.kernel[0] != Width ||
      spatial.stride[0] != Stride) {
    sum_rows<Bytes, 1, Width, Stride>(run, spatial, sums);
    return 1;
  }
  run.rows = taps_inside(spatial, 0, rows.begin, Stride + Width);
  sum_rows<Bytes, 2, Width, Stride>(run, spatial, sums);
  return 2;
}

template <int Bytes, int Width, int Stride>
[[gnu::always_inline]] inline void sum_known_rows(const DepthwiseLayer& layer, const float* image,
                                                  TapRange rows, float* sums) {
  const int64_t row = layer.spatial.out[1] * layer.channels;
  for (int64_t count = 0; rows.count() > 0; rows.begin += count, sums += count * row)
    count = sum_first_rows<Bytes, Width, Stride>(layer, image, rows, sums);
}

// Returns whether a specialized kernel computed the rows.
bool sum_known(const DepthwiseLayer& layer, const float* image, TapRange rows, float* results) {
  const SpatialParams& spatial = layer.spatial;
  if (spatial.dilation[1] != 1) return false;
  const auto has = [&](int64_t width, int64_t stride) {
    return spatial.kernel[1] == width && spatial.stride[1] == stride;
  };
  bool known = false;
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        if constexpr (bytes > 16) {  // with fewer registers, fewer pixels at once would be needed
          if (layer.channels < bytes / int64_t(sizeof(float))) return;
          known = true;
          if (has(3, 1)) return sum_known_rows<bytes, 3, 1>(layer, image, rows, results);
          if (has(3, 2)) return sum_known_rows<bytes, 3, 2>(layer, image, rows, results);
          if (has(5, 1)) return sum_known_rows<bytes, 5, 1>(layer, image, rows, results);
          if (has(5, 2)) return sum_known_rows<bytes, 5, 2>(layer, image, rows, results);
          if (has(7, 1)) return sum_known_rows<bytes, 7, 1>(layer, image, rows, results);
          if (has(7, 2)) return sum_known_rows<bytes, 7, 2>(layer, image, rows, results);
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

void DepthwiseRows::operator()(const float* image, TapRange rows, float* sums) {
  if (sum_known(layer_, image, rows, sums)) return;
  const int64_t width = layer_.spatial.out[1];
  for (int64_t y = rows.begin; y < rows.end; ++y, sums += width * layer_.channels) {
    if (layer_.is_flat) {
      sum_flat_row(image, y, sums);
    } else {
      sum_depthwise_pixels(layer_, image, y, {0, width}, sums);
    }
  }
}

}  // namespace nnrt::cpu
