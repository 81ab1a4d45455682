// Convolutions of any dtype as GEMMs in float.
#include "backends/cpu/conv/conv_kernels.h"

#include "backends/cpu/conv/conv_geometry.h"
#include "backends/cpu/conv/direct_conv.h"
#include "backends/cpu/conv/kernel_taps.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/generic_gemm.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <cmath>

namespace nnrt::cpu {
namespace {

// im2col: one row of the left operand per output pixel.
template <typename T>
class Patches {
 public:
  Patches(const Convolution& conv, const T* input, int32_t zero_point, int64_t group)
      : conv_(conv),
        input_(input + group * conv.group_in),
        zero_point_(zero_point),
        is_dense_(!conv.transposed && conv.spatial.dilation[1] == 1 && conv.groups == 1) {}

  RowBlock tile(int64_t begin, int64_t end, std::vector<float>& scratch) const {
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
    const SpatialParams& spatial = conv_.spatial;
    const int64_t x = pixel % spatial.out[1];
    const int64_t y = pixel / spatial.out[1] % spatial.out[0];
    const int64_t n = pixel / spatial.out[1] / spatial.out[0];
    const int64_t row_cells = spatial.kernel[1] * conv_.group_in;
    for (int64_t u = 0; u < spatial.kernel[0]; ++u, to += row_cells) {
      const int64_t in_y = conv_.source(0, y, u);
      if (in_y < 0) {
        std::fill_n(to, row_cells, 0.0f);
      } else {
        write_row(input_ + (n * spatial.in[0] + in_y) * spatial.in[1] * conv_.in_channels, x, to);
      }
    }
  }

  void write_row(const T* line, int64_t x, float* to) const {
    if (is_dense_) return write_dense_row(line, x, to);
    for (int64_t v = 0; v < conv_.spatial.kernel[1]; ++v, to += conv_.group_in) {
      const int64_t in_x = conv_.source(1, x, v);
      if (in_x < 0) {
        std::fill_n(to, conv_.group_in, 0.0f);
      } else {
        const T* from = line + in_x * conv_.in_channels;
        for (int64_t i = 0; i < conv_.group_in; ++i) to[i] = widened(from[i], zero_point_);
      }
    }
  }

  // A row's contiguous taps form one run.
  void write_dense_row(const T* line, int64_t x, float* to) const {
    const TapRange inside = taps_inside(conv_.spatial, 1, x);
    const T* from = line + (tap_origin(conv_.spatial, 1, x) + inside.begin) * conv_.in_channels;
    const int64_t row_cells = conv_.spatial.kernel[1] * conv_.group_in;
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

// Returns whether no weight produces NaN when multiplied by padding zeros.
template <typename T>
bool may_meet_padding(const KernelArgs& args, const Convolution& conv) {
  if (std::is_same_v<T, int8_t> || !reads_padding(conv)) return true;
  const std::span<const T> weights(args.input<T>(1), size_t(conv.out_channels * conv.inner()));
  return std::ranges::all_of(weights, [](T weight) { return std::isfinite(widened(weight, 0)); });
}

// The packed panels of all groups, followed by 1 if the weights may be multiplied by padding and 0 otherwise.
// Empty if the GEMM needs no panels.
template <typename T>
PrepackedBytes panels_of(const KernelArgs& args, const Convolution& conv) {
  if (!wants_panels(conv.pixels(), filters_of<T>(args, conv, 0))) return {};
  const size_t floats = packed_floats(conv.group_out, conv.inner()), all = size_t(conv.groups) * floats;
  return args.prepacked_from(1, (all + 1) * sizeof(float), [&](std::byte* memory) {
    auto* const to = reinterpret_cast<float*>(memory);
    for (int64_t group = 0; group < conv.groups; ++group)
      pack(filters_of<T>(args, conv, group), conv.group_out, conv.inner(), args.pool,
           to + size_t(group) * floats);
    to[all] = may_meet_padding<T>(args, conv) ? 1.0f : 0.0f;
  });
}

template <typename T>
bool is_direct(const KernelArgs& args, const Convolution& conv, const PrepackedBytes& panels) {
  if (panels.data == nullptr) return !may_meet_padding<T>(args, conv);
  return panels.as<float>()[size_t(conv.groups) * packed_floats(conv.group_out, conv.inner())] == 0;
}

template <typename T>
Status convolve(const KernelArgs& args, const Convolution& conv) {
  const GemmOutput output(args, true, conv.out_channels);
  const int32_t zero_point = zero_point_of(args.node.input(0));
  const PrepackedBytes panels = panels_of<T>(args, conv);
  if (is_direct<T>(args, conv, panels)) return convolve_direct(args, conv);
  for (int64_t group = 0; group < conv.groups; ++group) {
    const Patches<T> patches(conv, args.input<T>(0), zero_point, group);
    GenericGemm<SumOf<T>> gemm{conv.pixels(), conv.group_out, conv.inner()};
    gemm.left = [&patches](int64_t begin, int64_t end, std::vector<float>& scratch) {
      return patches.tile(begin, end, scratch);
    };
    gemm.right = filters_of<T>(args, conv, group);
    if (panels.data != nullptr)
      gemm.panels = panels.as<float>() + size_t(group) * packed_floats(conv.group_out, conv.inner());
    gemm.store = [&](const Sums<SumOf<T>>& sums) {
      output.store_block(sums, group * conv.group_out, conv.out_channels);
    };
    multiply(gemm, args.pool);
  }
  return {};
}

}  // namespace

Status convolve_im2col(const KernelArgs& args, const Convolution& conv) {
  return dispatch_gemm_dtype(args.node.dtype(),
                             [&]<typename T>(std::type_identity<T>) { return convolve<T>(args, conv); });
}

bool convolves_im2col_directly(const KernelArgs& args, const Convolution& conv) {
  return dispatch_gemm_dtype(args.node.dtype(), [&]<typename T>(std::type_identity<T>) {
    return is_direct<T>(args, conv, panels_of<T>(args, conv));
  });
}

Status prepack_convolve_im2col(const KernelArgs& args, const Convolution& conv) {
  return dispatch_gemm_dtype(args.node.dtype(), [&]<typename T>(std::type_identity<T>) -> Status {
    static_cast<void>(panels_of<T>(args, conv));
    return {};
  });
}

}  // namespace nnrt::cpu
