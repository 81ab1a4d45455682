#include "backends/cpu/conv/kernel_taps.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/gemm/gemm_conv_kernels.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/generic_gemm.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace nnrt::cpu {
namespace {

// Quantized values minus their zero point (per slice of dimension 0 if there are several).
std::vector<float> centered(const KernelArgs& args, size_t input) {
  const Tensor& tensor = args.node.input(input);
  const Shape& shape = args.node.shape(input);
  std::vector<float> values(size_t(product(shape, 0, shape.size())));
  if (tensor.dtype != DType::i8) {
    to_floats(tensor, args.in[input], values, args.pool);
    return values;
  }
  const std::vector<int32_t>& zeros = tensor.quant.zero_points;
  const int64_t slice = int64_t(values.size() / zeros.size());
  const int8_t* quantized = args.input<int8_t>(input);
  for (int64_t first = 0; const int32_t zero : zeros) {
    args.pool.parallel_for(slice, 1 << 14, [&](int64_t begin, int64_t end) {
      const int8_t* from = quantized + first;
      float* to = values.data() + first;
      with_vectors(
          vector_bytes(), [&](auto) __attribute__((always_inline)) {
            for (int64_t i = begin; i < end; ++i) to[i] = widened(from[i], zero);
          });
    });
    first += slice;
  }
  return values;
}

// The input as floats, each channel repeated by the channel multiplier.
class DepthwiseInput {
 public:
  DepthwiseInput(const KernelArgs& args, int64_t multiplier) {
    if (args.node.dtype() == DType::f32 && multiplier == 1) {
      data_ = args.input<float>(0);
      return;
    }
    owned_ = centered(args, 0);
    if (multiplier > 1) {
      std::vector<float> repeated;
      repeated.reserve(owned_.size() * size_t(multiplier));
      for (const float value : owned_) repeated.insert(repeated.end(), size_t(multiplier), value);
      owned_ = std::move(repeated);
    }
    data_ = owned_.data();
  }
  DepthwiseInput(const DepthwiseInput&) = delete;
  DepthwiseInput& operator=(const DepthwiseInput&) = delete;

  const float* data() const { return data_; }

 private:
  std::vector<float> owned_;
  const float* data_ = nullptr;
};

// [channels, taps] -> [taps, channels].
void taps_first(const std::vector<float>& weight, int64_t channels, float* transposed) {
  const int64_t taps = int64_t(weight.size()) / channels;
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t tap = 0; tap < taps; ++tap)
      transposed[tap * channels + channel] = weight[size_t(channel * taps + tap)];
}

// Neighboring output pixels whose taps (within the ranges) are all inside the input.
struct Run {
  const float* in;      // under tap (0, 0) of the first pixel
  const float* weight;  // for tap (0, 0)
  TapRange rows, columns;
  int64_t row_step, column_step, pixel_step;  // in the input
  int64_t kernel_width, channels;
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
      const float* weight = run.weight + (u * run.kernel_width + v) * run.channels + channel;
      const V w = load<Bytes>(weight);
      for (int p = 0; p < Pixels; ++p) totals[p] += w * load<Bytes>(in + p * run.pixel_step);
    }
  }
  store_sums<Bytes>(run, channel, totals, sums);
}

// Calls sum(std::integral_constant<int, bytes>, channel) for each vector of channels; the last vector may
// overlap the previous one.
template <int Bytes, typename Sum>
[[gnu::always_inline]] inline void for_channels(int64_t channels, const Sum& sum) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  int64_t channel = 0;
  for (; channel + kLanes <= channels; channel += kLanes) sum(std::integral_constant<int, Bytes>{}, channel);
  if (channel < channels && channels >= kLanes)
    return sum(std::integral_constant<int, Bytes>{}, channels - kLanes);
  for (; channel < channels; ++channel) sum(std::integral_constant<int, int(sizeof(float))>{}, channel);
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
      weight[v] = load<Bytes>(run.weight + (u * Width + v) * run.channels + channel);
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

// One output row: pixels x channels sums.
void sum_row(const SpatialParams& spatial, const float* image, const float* weight,
             const F32Epilogue& epilogue, int64_t channels, int64_t y, float* sums) {
  const int64_t line = spatial.in[1] * channels;
  Run run{};
  run.weight = weight;
  run.bias = epilogue.bias;
  run.low = epilogue.low;
  run.high = epilogue.high;
  run.rows = taps_inside(spatial, 0, y);
  run.row_step = spatial.dilation[0] * line;
  run.column_step = spatial.dilation[1] * channels;
  run.pixel_step = spatial.stride[1] * channels;
  run.kernel_width = spatial.kernel[1];
  run.channels = channels;
  const float* first = image + tap_origin(spatial, 0, y) * line;
  run.in = first;
  if (sum_known_line(spatial, run, sums)) return;
  for (int64_t x = 0; x < spatial.out[1];) {
    run.columns = taps_inside(spatial, 1, x);
    const int64_t last = x + kRunPixels - 1;
    const bool is_full = run.columns.count() == spatial.kernel[1] && last < spatial.out[1] &&
                         taps_inside(spatial, 1, last).count() == spatial.kernel[1];
    run.in = first + tap_origin(spatial, 1, x) * channels;
    sum_run(is_full, run, sums + x * channels);
    x += is_full ? kRunPixels : 1;
  }
}

// Stores a row of sums pixel by pixel.
template <typename Sum>
void store_row(const GemmOutput& output, std::span<const Sum> sums, int64_t channels, int64_t at) {
  for (int64_t i = 0; i < int64_t(sums.size()); i += channels)
    output.store(sums.subspan(size_t(i), size_t(channels)), 0, at + i);
}

PrepackedBytes depthwise_weight(const KernelArgs& args) {
  const Shape& shape = args.node.shape(1);
  const int64_t count = product(shape, 0, shape.size()), channels = shape[0];
  return args.prepacked_from(1, size_t(count + channels) * sizeof(float), [&](std::byte* memory) {
    auto* const to = reinterpret_cast<float*>(memory);
    taps_first(centered(args, 1), channels, to);
    const bool adds = args.node.dtype() == DType::f32 && args.node.input_count() > 2;
    // GemmOutput adds the bias for other dtypes.
    for (int64_t c = 0; c < channels; ++c) to[count + c] = adds ? args.input<float>(2)[c] : 0.0f;
  });
}

// For fp16, and for quantized values without dot-product instructions: sums first, then the epilogue.
Status depthwise_narrow(const KernelArgs& args, const SpatialParams& spatial) {
  const int64_t channels = args.node.shape(1)[0];
  const GemmOutput output(args, true, channels);
  const DepthwiseInput input(args, channels / args.node.shape(0)[3]);
  const PrepackedBytes weight = depthwise_weight(args);
  const int64_t image = spatial.in[0] * spatial.in[1] * channels;
  const int64_t row = spatial.out[1] * channels;
  const int64_t taps = spatial.kernel[0] * spatial.kernel[1];
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const F32Epilogue epilogue{weight.as<float>() + taps * channels, -kInfinity, kInfinity};
  const int64_t rows = args.node.shape(0)[0] * spatial.out[0];
  args.pool.parallel_for(rows, 1 + (1 << 15) / (row * taps), [&](int64_t begin, int64_t end) {
    std::vector<float> sums(static_cast<size_t>(row));
    std::vector<int32_t> exact;
    for (int64_t i = begin; i < end; ++i) {
      sum_row(spatial, input.data() + i / spatial.out[0] * image, weight.as<float>(), epilogue, channels,
              i % spatial.out[0], sums.data());
      if (args.node.dtype() == DType::i8) {
        exact.assign(sums.begin(), sums.end());
        store_row<int32_t>(output, exact, channels, i * row);
      } else {
        store_row<float>(output, sums, channels, i * row);
      }
    }
  });
  return {};
}

}  // namespace

Status prepack_depthwise(const KernelArgs& args) {
  static_cast<void>(depthwise_weight(args));
  return {};
}

Status depthwise(const KernelArgs& args, const SpatialParams& spatial) {
  if (args.node.dtype() != DType::f32) return depthwise_narrow(args, spatial);
  const int64_t channels = args.node.shape(1)[0];
  const DepthwiseInput input(args, channels / args.node.shape(0)[3]);
  const PrepackedBytes weight = depthwise_weight(args);
  const int64_t image = spatial.in[0] * spatial.in[1] * channels;
  const int64_t row = spatial.out[1] * channels;
  const int64_t taps = spatial.kernel[0] * spatial.kernel[1];
  const F32OutputEpilogue end(args, false);
  const F32Epilogue epilogue = end.epilogue(weight.as<float>() + taps * channels, 0);
  const int64_t rows = args.node.shape(0)[0] * spatial.out[0];
  args.pool.parallel_for(rows, 1 + (1 << 16) / (row * taps), [&](int64_t begin, int64_t until) {
    for (int64_t i = begin; i < until; ++i) {
      sum_row(spatial, input.data() + i / spatial.out[0] * image, weight.as<float>(), epilogue, channels,
              i % spatial.out[0], args.output<float>() + i * row);
      end.apply_rest(i * row, 1, row, row);
    }
  });
  return {};
}

}  // namespace nnrt::cpu
