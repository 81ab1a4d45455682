#include "backends/cpu/conv/conv_kernels.h"
#include "backends/cpu/conv/depthwise_lines.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/generic_gemm.h"

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

// [channels, taps] -> [taps, step], repeating the channels to fill each line.
void taps_first(const std::vector<float>& weight, int64_t channels, int64_t step, float* transposed) {
  const int64_t taps = int64_t(weight.size()) / channels;
  for (int64_t i = 0; i < step; ++i)
    for (int64_t tap = 0; tap < taps; ++tap)
      transposed[tap * step + i] = weight[size_t(i % channels * taps + tap)];
}

template <typename Sum>
void store_pixels(const GemmOutput& output, std::span<const Sum> sums, int64_t channels, int64_t at) {
  for (int64_t i = 0; i < int64_t(sums.size()); i += channels)
    output.store(sums.subspan(size_t(i), size_t(channels)), 0, at + i);
}

// Computes up to kAtOnce output rows from i on in the memory that row_of(i, worker) returns, then calls
// store(i, rows, sums).
template <typename RowOf, typename Store>
void for_rows(const KernelArgs& args, const DepthwiseLayer& layer, const float* input, int64_t grain,
              const RowOf& row_of, const Store& store) {
  const SpatialParams& spatial = layer.spatial;
  const int64_t image = spatial.in[0] * spatial.in[1] * layer.channels;
  const int64_t row = spatial.out[1] * layer.channels, taps = spatial.kernel[0] * spatial.kernel[1];
  constexpr int64_t kAtOnce = DepthwiseRows::kAtOnce;
  const int64_t parts = divide_up(spatial.out[0], kAtOnce);  // of an image
  const size_t bytes = DepthwiseRows::scratch_bytes(layer);
  args.scratch->reserve(args.pool.threads(), bytes);
  const auto run = [&](int64_t begin, int64_t end, unsigned worker) {
    DepthwiseRows sums(layer, args.scratch->of_worker(worker, bytes));
    for (int64_t part = begin; part < end; ++part) {
      const int64_t n = part / parts, y = part % parts * kAtOnce, i = n * spatial.out[0] + y;
      const int64_t rows = std::min(kAtOnce, spatial.out[0] - y);
      float* const to = row_of(i, worker);
      sums(input + n * image, {y, y + rows}, to);
      store(i, rows, to);
    }
  };
  args.pool.parallel_for(args.node.shape(0)[0] * parts, 1 + grain / (kAtOnce * row * taps), run);
}

// For fp16, and for quantized values without dot-product instructions: sums first, then the epilogue.
Status depthwise_narrow(const KernelArgs& args, const SpatialParams& spatial) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const int64_t channels = args.node.shape(1)[0];
  const GemmOutput output(args, true, channels);
  const DepthwiseInput input(args, channels / args.node.shape(0)[3]);
  const PrepackedBytes weight = depthwise_weight(args);
  const DepthwiseLayer layer = depthwise_layer(args, spatial, weight, {nullptr, -kInfinity, kInfinity});
  const auto row = size_t(spatial.out[1] * channels);
  std::vector<std::vector<float>> memory(args.pool.threads());
  const auto row_of = [&](int64_t, unsigned worker) {
    memory[worker].resize(row * size_t(DepthwiseRows::kAtOnce));
    return memory[worker].data();
  };
  for_rows(args, layer, input.data(), 1 << 15, row_of, [&](int64_t i, int64_t rows, const float* sums) {
    const int64_t at = i * int64_t(row);
    const size_t count = size_t(rows) * row;
    if (args.node.dtype() != DType::i8) return store_pixels<float>(output, {sums, count}, channels, at);
    const std::vector<int32_t> exact(sums, sums + count);
    store_pixels<int32_t>(output, exact, channels, at);
  });
  return {};
}

}  // namespace

// The taps, then the bias.
PrepackedBytes depthwise_weight(const KernelArgs& args) {
  const Shape& shape = args.node.shape(1);
  const int64_t channels = shape[0], taps = product(shape, 1, shape.size()), step = depthwise_step(channels);
  return args.prepacked_from(1, size_t((taps + 1) * step) * sizeof(float), [&](std::byte* memory) {
    auto* const to = reinterpret_cast<float*>(memory);
    taps_first(centered(args, 1), channels, step, to);
    const bool adds = args.node.dtype() == DType::f32 && args.node.input_count() > 2;
    // GemmOutput adds the bias for other dtypes.
    for (int64_t i = 0; i < step; ++i) to[taps * step + i] = adds ? args.input<float>(2)[i % channels] : 0.0f;
  });
}

DepthwiseLayer depthwise_layer(const KernelArgs& args, const SpatialParams& spatial,
                               const PrepackedBytes& weight, const F32Epilogue& clamps) {
  const int64_t channels = args.node.shape(1)[0], step = depthwise_step(channels);
  DepthwiseLayer layer{spatial, channels, weight.as<float>(), step, clamps};
  layer.epilogue.bias = layer.weight + spatial.kernel[0] * spatial.kernel[1] * step;
  layer.is_flat = has_flat_rows(layer);
  return layer;
}

Status prepack_depthwise(const KernelArgs& args) {
  static_cast<void>(depthwise_weight(args));
  return {};
}

Status depthwise(const KernelArgs& args, const SpatialParams& spatial) {
  if (args.node.dtype() != DType::f32) return depthwise_narrow(args, spatial);
  const int64_t channels = args.node.shape(1)[0], row = spatial.out[1] * channels;
  const DepthwiseInput input(args, channels / args.node.shape(0)[3]);
  const PrepackedBytes weight = depthwise_weight(args);
  const F32OutputEpilogue end(args, false);
  const DepthwiseLayer layer = depthwise_layer(args, spatial, weight, end.epilogue(nullptr, 0));
  const auto row_of = [&](int64_t i, unsigned) { return args.output<float>() + i * row; };
  for_rows(args, layer, input.data(), 1 << 16, row_of,
           [&](int64_t i, int64_t rows, const float*) { end.apply_rest(i * row, rows, row, row); });
  return {};
}

}  // namespace nnrt::cpu
