#include "backends/cpu/linear_convolution.h"
#include "backends/cpu/linear_kernels.h"
#include "backends/cpu/linear_output.h"
#include "backends/cpu/linear_product.h"
#include "backends/cpu/window_taps.h"
#include "core/geometry.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

// The cells under the kernel for each output pixel: rows of the left operand.
template <typename T>
class Patches {
 public:
  Patches(const Convolution& conv, const T* input, int32_t zero_point, int64_t group)
      : conv_(conv),
        input_(input + group * conv.group_in),
        zero_point_(zero_point),
        is_dense_(!conv.transposed && conv.window.dilation[1] == 1 && conv.groups == 1) {}

  RowTile tile(int64_t begin, int64_t end, std::vector<float>& scratch) const {
    if constexpr (std::is_same_v<T, float>) {
      if (conv_.is_pointwise()) return {input_ + begin * conv_.in_channels, conv_.in_channels};
    }
    const int64_t inner = conv_.inner();
    scratch.resize(size_t((end - begin) * inner));
    for (int64_t pixel = begin; pixel < end; ++pixel)
      write_patch(pixel, scratch.data() + (pixel - begin) * inner);
    return {scratch.data(), inner};
  }

 private:
  void write_patch(int64_t pixel, float* to) const {
    const Window& window = conv_.window;
    const int64_t x = pixel % window.out[1];
    const int64_t y = pixel / window.out[1] % window.out[0];
    const int64_t n = pixel / window.out[1] / window.out[0];
    const int64_t row_cells = window.kernel[1] * conv_.group_in;
    for (int64_t u = 0; u < window.kernel[0]; ++u, to += row_cells) {
      const int64_t in_y = conv_.source(0, y, u);
      if (in_y < 0) {
        std::fill_n(to, row_cells, 0.0f);
      } else {
        write_row(input_ + (n * window.in[0] + in_y) * window.in[1] * conv_.in_channels, x, to);
      }
    }
  }

  void write_row(const T* line, int64_t x, float* to) const {
    if (is_dense_) return write_dense_row(line, x, to);
    for (int64_t v = 0; v < conv_.window.kernel[1]; ++v, to += conv_.group_in) {
      const int64_t in_x = conv_.source(1, x, v);
      if (in_x < 0) {
        std::fill_n(to, conv_.group_in, 0.0f);
      } else {
        const T* from = line + in_x * conv_.in_channels;
        for (int64_t i = 0; i < conv_.group_in; ++i) to[i] = widened(from[i], zero_point_);
      }
    }
  }

  // Where the taps of a row lie side by side they are one run of elements.
  void write_dense_row(const T* line, int64_t x, float* to) const {
    const TapRange inside = taps_inside(conv_.window, 1, x);
    const T* from = line + (window_start(conv_.window, 1, x) + inside.begin) * conv_.in_channels;
    const int64_t row_cells = conv_.window.kernel[1] * conv_.group_in;
    const int64_t begin = std::min(inside.begin * conv_.group_in, row_cells);
    const int64_t end = begin + inside.count() * conv_.group_in;
    std::fill(to, to + begin, 0.0f);
    for (int64_t i = begin; i < end; ++i) to[i] = widened(from[i - begin], zero_point_);
    std::fill(to + end, to + row_cells, 0.0f);
  }

  Convolution conv_;
  const T* input_;
  int32_t zero_point_;
  bool is_dense_;
};

// The filters of one group.
template <typename T>
RightOperand filters_of(const KernelArgs& args, const Convolution& conv, int64_t group) {
  const int64_t first = group * conv.group_out;
  std::span<const int32_t> zeros = args.node.input(1).quant.zero_points;
  if (zeros.size() > 1) zeros = zeros.subspan(size_t(first), size_t(conv.group_out));
  return contiguous_columns(args.input<T>(1) + first * conv.inner(), conv.inner(), conv.group_out,
                            conv.inner(), zeros);
}

// Those of all groups, group by group; none where the product wants none.
template <typename T>
KeptBytes panels_of(const KernelArgs& args, const Convolution& conv) {
  if (!wants_panels(conv.pixels(), filters_of<T>(args, conv, 0))) return {};
  const size_t floats = packed_floats(conv.group_out, conv.inner());
  return args.kept_from(1, size_t(conv.groups) * floats * sizeof(float), [&](std::byte* to) {
    for (int64_t group = 0; group < conv.groups; ++group)
      pack(filters_of<T>(args, conv, group), conv.group_out, conv.inner(), args.pool,
           reinterpret_cast<float*>(to) + size_t(group) * floats);
  });
}

template <typename T>
Status convolve(const KernelArgs& args, const Convolution& conv) {
  const LinearOutput output(args, true, conv.out_channels);
  const int32_t zero_point = zero_point_of(args.node.input(0));
  const KeptBytes panels = panels_of<T>(args, conv);
  for (int64_t group = 0; group < conv.groups; ++group) {
    const Patches<T> patches(conv, args.input<T>(0), zero_point, group);
    Product<SumOf<T>> product{conv.pixels(), conv.group_out, conv.inner()};
    product.left = [&patches](int64_t begin, int64_t end, std::vector<float>& scratch) {
      return patches.tile(begin, end, scratch);
    };
    product.right = filters_of<T>(args, conv, group);
    if (panels.data != nullptr)
      product.panels = panels.as<float>() + size_t(group) * packed_floats(conv.group_out, conv.inner());
    product.store = [&](const Sums<SumOf<T>>& sums) {
      const int64_t channel = group * conv.group_out + sums.column;
      for (int64_t r = 0; r < sums.rows; ++r)
        output.store(std::span(sums.data + r * sums.stride, size_t(sums.columns)), channel,
                     (sums.row + r) * conv.out_channels + channel);
    };
    multiply(product, args.pool);
  }
  return {};
}

Status convolve_any(const KernelArgs& args, const Convolution& conv) {
  if (takes_codes(args.node)) return convolve_codes(args, conv);
  if (args.node.dtype() == DType::f32) return convolve_floats(args, conv);
  return dispatch_linear(args.node.dtype(),
                         [&]<typename T>(std::type_identity<T>) { return convolve<T>(args, conv); });
}

Status keep_any(const KernelArgs& args, const Convolution& conv) {
  if (takes_codes(args.node)) return keep_convolve_codes(args, conv);
  if (args.node.dtype() == DType::f32) return keep_convolve_floats(args, conv);
  return dispatch_linear(args.node.dtype(), [&]<typename T>(std::type_identity<T>) -> Status {
    static_cast<void>(panels_of<T>(args, conv));
    return {};
  });
}

// Which of the two ways a convolution goes.
bool goes_by_channel(const KernelArgs& args, const Window& window) {
  return args.node.shape(1)[3] == 1 && takes_depthwise(args.node, window);
}

}  // namespace

Status keep_conv2d(const KernelArgs& args) {
  NNRT_ASSIGN(const Window window, window_of(args.node));
  if (!goes_by_channel(args, window)) return keep_any(args, convolution_of(args.node, window, false));
  if (takes_depthwise_codes(args.node)) return keep_depthwise_codes(args);
  static_cast<void>(depthwise_weight(args));
  return {};
}

Status keep_conv2d_transpose(const KernelArgs& args) {
  NNRT_ASSIGN(const Window window, transposed_window_of(args.node));
  return keep_any(args, convolution_of(args.node, window, true));
}

Status keep_depthwise_conv2d(const KernelArgs& args) { return keep_conv2d(args); }

Status conv2d(const KernelArgs& args) {
  NNRT_ASSIGN(const Window window, window_of(args.node));
  if (goes_by_channel(args, window))
    return takes_depthwise_codes(args.node) ? depthwise_codes(args, window) : depthwise(args, window);
  return convolve_any(args, convolution_of(args.node, window, false));
}

Status conv2d_transpose(const KernelArgs& args) {
  NNRT_ASSIGN(const Window window, transposed_window_of(args.node));
  return convolve_any(args, convolution_of(args.node, window, true));
}

Status depthwise_conv2d(const KernelArgs& args) { return conv2d(args); }

}  // namespace nnrt::cpu
