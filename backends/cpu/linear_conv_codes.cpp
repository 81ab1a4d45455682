// Quantized convolutions on processors with has_code_dots().
#include "backends/cpu/linear_codes.h"
#include "backends/cpu/linear_kernels.h"
#include "backends/cpu/linear_output.h"
#include "backends/cpu/linear_rows.h"
#include "backends/cpu/vectors.h"
#include "backends/cpu/window_taps.h"

#include <cstring>

namespace nnrt::cpu {
namespace {

// One row of the output of a depthwise convolution.
struct DepthwiseRow {
  const Window& window;
  int64_t channels, quads;
  const int8_t* image;
  const int8_t* outside;
  const uint8_t* weight;
  const CodeTerms& terms;

  // Writes where the taps of pixel x lie; those that do not exist are `outside`.
  void locate(int64_t y, int64_t x, const int8_t** taps) const {
    for (int64_t u = 0; u < window.kernel[0]; ++u) {
      const int64_t in_y = window_start(window, 0, y) + u * window.dilation[0];
      for (int64_t v = 0; v < window.kernel[1]; ++v) {
        const int64_t in_x = window_start(window, 1, x) + v * window.dilation[1];
        const bool inside = in_y >= 0 && in_y < window.in[0] && in_x >= 0 && in_x < window.in[1];
        *taps++ = inside ? image + (in_y * window.in[1] + in_x) * channels : outside;
      }
    }
  }

  void compute(int64_t y, const int8_t** taps, int8_t* to) const {
    for (int64_t x = 0; x < window.out[1]; ++x, to += channels) {
      locate(y, x, taps);
      for (int64_t channel = 0; channel < channels; channel += kDepthwiseChannels)
        depthwise_codes(taps, quads, weight + channel * quads * 4, terms, channel, channels - channel,
                        to + channel);
    }
  }
};

}  // namespace

bool takes_codes(const NodeView& node) { return node.dtype() == DType::i8 && has_code_dots(); }

Status keep_convolve_codes(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(
      code_weights(args, product_of<int8_t>(conv, args.node.input_count() > 2), args.input<int8_t>(1)));
  return {};
}

Status convolve_codes(const KernelArgs& args, const Convolution& conv) {
  const TiledProduct product = product_of<int8_t>(conv, args.node.input_count() > 2);
  const KeptBytes kept = code_weights(args, product, args.input<int8_t>(1));
  const auto zero = int8_t(zero_point_of(args.node.input(0)));
  for (int64_t group = 0; group < conv.groups; ++group) {
    const Pixels<int8_t> pixels(conv, args.input<int8_t>(0), zero, group);
    multiply_codes(args, product, kept, group, pixels, args.output<int8_t>() + group * conv.group_out,
                   conv.out_channels);
  }
  return {};
}

bool takes_depthwise_codes(const NodeView& node) {
  return takes_codes(node) && node.shape(0)[3] == node.shape(1)[0];
}

Status keep_depthwise_codes(const KernelArgs& args) {
  static_cast<void>(depthwise_code_weights(args));
  return {};
}

Status depthwise_codes(const KernelArgs& args, const Window& window) {
  const int64_t channels = args.node.shape(0)[3];
  const int64_t taps = window.kernel[0] * window.kernel[1];
  const int64_t quads = divide_up(taps, 4);
  const int64_t places = divide_up(channels, kDepthwiseChannels) * kDepthwiseChannels;
  const KeptBytes kept = depthwise_code_weights(args);
  CodeTerms terms = code_terms(args, kept.data, places * quads * 4, places);
  terms.interleaved = true;
  const int8_t zero = int8_t(zero_point_of(args.node.input(0)));
  const int64_t image = window.in[0] * window.in[1] * channels;
  const int64_t row = window.out[1] * channels;
  const int64_t tap_bytes = quads * 4 * int64_t(sizeof(int8_t*));
  const int64_t rows = args.node.shape(0)[0] * window.out[0];
  args.pool.parallel_for(
      rows, 1 + (1 << 17) / (row * quads), [&](int64_t begin, int64_t end, unsigned worker) {
        std::byte* const scratch = args.scratch->of_worker(worker, size_t(tap_bytes + channels));
        auto* const pointers = reinterpret_cast<const int8_t**>(scratch);
        auto* const outside = reinterpret_cast<int8_t*>(scratch + tap_bytes);
        std::memset(outside, zero, size_t(channels));
        std::fill_n(pointers, quads * 4, outside);
        for (int64_t i = begin; i < end; ++i) {
          const DepthwiseRow line{
              window,  channels,           quads, args.input<int8_t>(0) + i / window.out[0] * image,
              outside, kept.as<uint8_t>(), terms};
          line.compute(i % window.out[0], pointers, args.output<int8_t>() + i * row);
        }
      });
  return {};
}

}  // namespace nnrt::cpu
