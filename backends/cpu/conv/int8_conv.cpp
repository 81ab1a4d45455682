// Quantized convolutions, which need has_int8_dot().
#include "backends/cpu/conv/conv_kernels.h"
#include "backends/cpu/conv/padded_lines.h"
#include "backends/cpu/conv/pixel_rows.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/int8_gemm.h"
#include "backends/cpu/gemm/matrix_rows.h"

#include <cstring>

namespace nnrt::cpu {
namespace {

// One output row of a depthwise convolution.
struct DepthwiseRow {
  const SpatialParams& spatial;
  int64_t channels;
  const int8_t* image;
  const int8_t* outside;
  const DepthwiseWeights& weights;

  const int8_t* line(int64_t y, int64_t u) const {
    const int64_t in_y = tap_origin(spatial, 0, y) + u * spatial.dilation[0];
    return in_y >= 0 && in_y < spatial.in[0] ? image + in_y * spatial.in[1] * channels : nullptr;
  }
  // Taps outside the input point at `outside`.
  const int8_t* pixel(const int8_t* line, int64_t in_x) const {
    return line != nullptr && in_x >= 0 && in_x < spatial.in[1] ? line + in_x * channels : outside;
  }

  // Writes the address of each tap of pixel x.
  void locate(int64_t y, int64_t x, const int8_t** taps) const {
    for (int64_t u = 0; u < spatial.kernel[0]; ++u) {
      const int8_t* const from = line(y, u);
      for (int64_t v = 0; v < spatial.kernel[1]; ++v)
        *taps++ = pixel(from, tap_origin(spatial, 1, x) + v * spatial.dilation[1]);
    }
  }

  void compute(int64_t y, const int8_t** taps, int8_t* to) const {
    if (weights.by_columns) return compute_by_columns(y, to);
    for (int64_t x = 0; x < spatial.out[1]; ++x, to += channels) {
      locate(y, x, taps);
      for (int64_t channel = 0; channel < channels; channel += kDepthwiseChannels)
        depthwise_int8(taps, weights.quads,
                       weights.packed.as<uint8_t>() + channel * weights.quads * kDotDepth, weights.terms,
                       channel, channels - channel, to + channel);
    }
  }

  // Computes several pixels of few channels as one pixel of up to kDepthwiseChannels channels.
  void compute_flat(const PaddedLines<int8_t>& padded, int64_t y, int8_t* lines, int8_t* to) const {
    const int8_t* columns[kMaxKernel * kMaxKernel];
    const int64_t height = spatial.kernel[0], width = spatial.kernel[1];
    const DepthwiseColumns compute_block = depthwise_columns(height, width, spatial.stride[1], 1);
    for (int64_t u = 0; u < height; ++u) padded.fill(line(y, u), *outside, lines + u * padded.size());
    for (int64_t x = 0; x < spatial.out[1]; x += weights.pixels) {
      const int8_t** column = columns;
      for (int64_t v = 0; v < width; ++v)
        for (int64_t u = 0; u < height; ++u) *column++ = lines + u * padded.size() + padded.offset(x, v);
      const int64_t pixels = std::min(weights.pixels, spatial.out[1] - x);
      compute_block({columns, weights.packed.as<uint8_t>(), pixels * channels, to + x * channels, 0},
                    weights.terms);
    }
  }

  static constexpr int64_t kMaxKernel = 7;

  void compute_by_columns(int64_t y, int8_t* to) const {
    constexpr int64_t kMaxColumns = (kMostDepthwisePixels - 1) * 2 + kMaxKernel;
    const int8_t* columns[kMaxColumns * kMaxKernel];
    const int64_t height = spatial.kernel[0], width = spatial.kernel[1], stride = spatial.stride[1];
    const int8_t* lines[kMaxKernel];
    for (int64_t u = 0; u < height; ++u) lines[u] = line(y, u);
    // Pixels that share columns are `step` apart.
    const int64_t dilation = spatial.dilation[1], step = stride == 1 ? dilation : 1;
    for (int64_t first = 0; first < step; ++first) {
      int64_t pixels = step == dilation ? kMostDepthwisePixels : 1;
      for (int64_t x = first; x < spatial.out[1]; x += pixels * step) {
        while (pixels > divide_up(spatial.out[1] - x, step)) pixels /= 2;
        const int8_t** column = columns;
        for (int64_t i = 0; i < (pixels - 1) * stride + width; ++i)
          for (int64_t u = 0; u < height; ++u)
            *column++ = pixel(lines[u], tap_origin(spatial, 1, x) + i * dilation);
        depthwise_columns(height, width, stride, pixels)(
            {columns, weights.packed.as<uint8_t>(), channels, to + x * channels, step * channels},
            weights.terms);
      }
    }
  }
};

}  // namespace

WhyNot why_not_convolve_amx(const KernelArgs& args, const Convolution& conv) {
  const GemmProblem gemm = gemm_problem_of<int8_t>(conv, args.node.input_count() > 2);
  return why_not_amx(args, gemm, conv.is_pointwise() && !conv.transposed);
}

Status prepack_convolve_int8(const KernelArgs& args, const Convolution& conv, Int8Kernel kernel) {
  const GemmProblem gemm = gemm_problem_of<int8_t>(conv, args.node.input_count() > 2);
  static_cast<void>(int8_weights(args, gemm, args.input<int8_t>(1), kernel));
  return {};
}

namespace {

template <typename To>
Status convolve_groups(const KernelArgs& args, const Convolution& conv, Int8Kernel kernel,
                       const Int8Residual* residual = nullptr) {
  const GemmProblem gemm = gemm_problem_of<int8_t>(conv, args.node.input_count() > 2);
  const PrepackedBytes prepacked = int8_weights(args, gemm, args.input<int8_t>(1), kernel);
  const auto zero = int8_t(zero_point_of(args.node.input(0)));
  for (int64_t group = 0; group < conv.groups; ++group) {
    const PixelRows<int8_t> pixels(conv, args.input<int8_t>(0), zero, group);
    Int8Group quantized = int8_group(args, gemm, prepacked, group, kernel);
    quantized.terms.residual = residual;
    multiply_int8(args, gemm, quantized, kernel, pixels, args.output<To>() + group * conv.group_out,
                  conv.out_channels);
  }
  return {};
}

}  // namespace

Status convolve_int8(const KernelArgs& args, const Convolution& conv, Int8Kernel kernel) {
  if (args.node.output(0).dtype == DType::i32) return convolve_groups<int32_t>(args, conv, kernel);
  return convolve_groups<int8_t>(args, conv, kernel);
}

Status convolve_int8_and_add(const KernelArgs& args, const Int8Residual& residual, Int8Kernel kernel) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(args.node));
  return convolve_groups<int8_t>(args, convolution_of(args.node, spatial, false), kernel, &residual);
}

Status prepack_depthwise_int8(const KernelArgs& args, const SpatialParams& spatial) {
  static_cast<void>(depthwise_int8_weights(args, spatial));
  return {};
}

Status depthwise_int8(const KernelArgs& args, const SpatialParams& spatial) {
  const int64_t channels = args.node.shape(0)[3];
  const DepthwiseWeights weights = depthwise_int8_weights(args, spatial);
  const int8_t zero = int8_t(zero_point_of(args.node.input(0)));
  const int64_t image = spatial.in[0] * spatial.in[1] * channels;
  const int64_t row = spatial.out[1] * channels;
  const int64_t taps = round_up(spatial.kernel[0] * spatial.kernel[1], kDotDepth);
  const int64_t tap_bytes = taps * int64_t(sizeof(int8_t*));
  const int64_t rows = args.node.shape(0)[0] * spatial.out[0];
  const int64_t grain = 1 + (weights.by_columns ? 1 << 15 : 1 << 16) / (row * weights.quads);
  const PaddedLines<int8_t> padded(spatial, channels);
  const int64_t padded_bytes = weights.pixels > 1 ? spatial.kernel[0] * padded.size() : 0;
  args.pool.parallel_for(rows, grain, [&](int64_t begin, int64_t end, unsigned worker) {
    std::byte* const scratch = args.scratch->of_worker(worker, size_t(tap_bytes + channels + padded_bytes));
    auto* const pointers = reinterpret_cast<const int8_t**>(scratch);
    auto* const outside = reinterpret_cast<int8_t*>(scratch + tap_bytes);
    std::memset(outside, zero, size_t(channels));
    std::fill_n(pointers, taps, outside);
    for (int64_t i = begin; i < end; ++i) {
      const DepthwiseRow line{spatial, channels, args.input<int8_t>(0) + i / spatial.out[0] * image, outside,
                              weights};
      int8_t* const to = args.output<int8_t>() + i * row;
      if (weights.pixels > 1) {
        line.compute_flat(padded, i % spatial.out[0], outside + channels, to);
      } else {
        line.compute(i % spatial.out[0], pointers, to);
      }
    }
  });
  return {};
}

}  // namespace nnrt::cpu
