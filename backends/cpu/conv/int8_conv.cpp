// Quantized convolutions, which need has_int8_dot().
#include "backends/cpu/conv/kernel_taps.h"
#include "backends/cpu/conv/pixel_rows.h"
#include "backends/cpu/gemm/gemm_conv_kernels.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/int8_gemm.h"
#include "backends/cpu/gemm/matrix_rows.h"

#include <cstring>

namespace nnrt::cpu {
namespace {

// One output row of a depthwise convolution.
struct DepthwiseRow {
  const SpatialParams& spatial;
  int64_t channels, quads;
  const int8_t* image;
  const int8_t* outside;
  const uint8_t* weight;
  const Int8Epilogue& terms;

  // Writes the address of each tap of pixel x; taps outside the input point at `outside`.
  void locate(int64_t y, int64_t x, const int8_t** taps) const {
    for (int64_t u = 0; u < spatial.kernel[0]; ++u) {
      const int64_t in_y = tap_origin(spatial, 0, y) + u * spatial.dilation[0];
      for (int64_t v = 0; v < spatial.kernel[1]; ++v) {
        const int64_t in_x = tap_origin(spatial, 1, x) + v * spatial.dilation[1];
        const bool inside = in_y >= 0 && in_y < spatial.in[0] && in_x >= 0 && in_x < spatial.in[1];
        *taps++ = inside ? image + (in_y * spatial.in[1] + in_x) * channels : outside;
      }
    }
  }

  void compute(int64_t y, const int8_t** taps, int8_t* to) const {
    for (int64_t x = 0; x < spatial.out[1]; ++x, to += channels) {
      locate(y, x, taps);
      for (int64_t channel = 0; channel < channels; channel += kDepthwiseChannels)
        depthwise_int8(taps, quads, weight + channel * quads * 4, terms, channel, channels - channel,
                       to + channel);
    }
  }
};

}  // namespace

Status prepack_convolve_int8(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(
      int8_weights(args, gemm_problem_of<int8_t>(conv, args.node.input_count() > 2), args.input<int8_t>(1)));
  return {};
}

namespace {

template <typename To>
Status convolve_groups(const KernelArgs& args, const Convolution& conv, Int8Kernel kernel) {
  const GemmProblem gemm = gemm_problem_of<int8_t>(conv, args.node.input_count() > 2);
  const PrepackedBytes prepacked = int8_weights(args, gemm, args.input<int8_t>(1));
  const auto zero = int8_t(zero_point_of(args.node.input(0)));
  for (int64_t group = 0; group < conv.groups; ++group) {
    const PixelRows<int8_t> pixels(conv, args.input<int8_t>(0), zero, group);
    multiply_int8(args, gemm, prepacked, group, kernel, pixels, args.output<To>() + group * conv.group_out,
                  conv.out_channels);
  }
  return {};
}

}  // namespace

Status convolve_int8(const KernelArgs& args, const Convolution& conv, Int8Kernel kernel) {
  if (args.node.output(0).dtype == DType::i32) return convolve_groups<int32_t>(args, conv, kernel);
  return convolve_groups<int8_t>(args, conv, kernel);
}

Status prepack_depthwise_int8(const KernelArgs& args) {
  static_cast<void>(depthwise_int8_weights(args));
  return {};
}

Status depthwise_int8(const KernelArgs& args, const SpatialParams& spatial) {
  const int64_t channels = args.node.shape(0)[3];
  const int64_t taps = spatial.kernel[0] * spatial.kernel[1];
  const int64_t quads = divide_up(taps, 4);
  const int64_t places = divide_up(channels, kDepthwiseChannels) * kDepthwiseChannels;
  const PrepackedBytes prepacked = depthwise_int8_weights(args);
  Int8Epilogue terms = int8_epilogue(args, prepacked.data, places * quads * 4, places);
  terms.interleaved = true;
  const int8_t zero = int8_t(zero_point_of(args.node.input(0)));
  const int64_t image = spatial.in[0] * spatial.in[1] * channels;
  const int64_t row = spatial.out[1] * channels;
  const int64_t tap_bytes = quads * 4 * int64_t(sizeof(int8_t*));
  const int64_t rows = args.node.shape(0)[0] * spatial.out[0];
  args.pool.parallel_for(
      rows, 1 + (1 << 17) / (row * quads), [&](int64_t begin, int64_t end, unsigned worker) {
        std::byte* const scratch = args.scratch->of_worker(worker, size_t(tap_bytes + channels));
        auto* const pointers = reinterpret_cast<const int8_t**>(scratch);
        auto* const outside = reinterpret_cast<int8_t*>(scratch + tap_bytes);
        std::memset(outside, zero, size_t(channels));
        std::fill_n(pointers, quads * 4, outside);
        for (int64_t i = begin; i < end; ++i) {
          const DepthwiseRow line{spatial, channels,
                                  quads,   args.input<int8_t>(0) + i / spatial.out[0] * image,
                                  outside, prepacked.as<uint8_t>(),
                                  terms};
          line.compute(i % spatial.out[0], pointers, args.output<int8_t>() + i * row);
        }
      });
  return {};
}

}  // namespace nnrt::cpu
