#include "backends/cpu/conv/direct_conv.h"

#include "backends/cpu/base/element.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/generic_microkernel.h"

namespace nnrt::cpu {

void DirectSums::operator()(int64_t n, int64_t y, int64_t x, float* sums) const {
  const SpatialParams& spatial = conv.spatial;
  const int64_t inner = conv.group_in;
  std::fill_n(sums, conv.out_channels, 0.0f);
  for (int64_t u = 0; u < spatial.kernel[0]; ++u) {
    const int64_t in_y = conv.source(0, y, u);
    if (in_y < 0) continue;
    for (int64_t v = 0; v < spatial.kernel[1]; ++v) {
      const int64_t in_x = conv.source(1, x, v);
      if (in_x < 0) continue;
      const float* const pixel =
          input + ((n * spatial.in[0] + in_y) * spatial.in[1] + in_x) * conv.in_channels;
      const float* tap = weights + (u * spatial.kernel[1] + v) * inner;
      for (int64_t c = 0; c < conv.out_channels; ++c, tap += conv.inner())
        sums[c] += dot(vector_bytes(), pixel + c / conv.group_out * inner, tap, inner);
    }
  }
}

bool reads_padding(const Convolution& conv) {
  if (conv.transposed) return true;
  for (size_t axis = 0; axis < 2; ++axis) {
    const SpatialParams& spatial = conv.spatial;
    if (conv.source(axis, 0, 0) < 0) return true;
    if (conv.source(axis, spatial.out[axis] - 1, spatial.kernel[axis] - 1) < 0) return true;
  }
  return false;
}

Status convolve_direct(const KernelArgs& args, const Convolution& conv) {
  if (args.node.dtype(1) == DType::f32) filters_in_tap_order(args);
  const FloatInput input(args, 0), weights(args, 1);
  const GemmOutput output(args, args.node.input_count() > 2, conv.out_channels);
  const DirectSums sum{conv, input.data(), weights.data()};
  const int64_t width = conv.spatial.out[1], height = conv.spatial.out[0];
  args.pool.parallel_for(conv.pixels(), 1, [&](int64_t begin, int64_t end) {
    std::vector<float> sums(size_t(conv.out_channels));
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      sum(pixel / width / height, pixel / width % height, pixel % width, sums.data());
      output.store(sums, 0, pixel * conv.out_channels);
    }
  });
  return {};
}

}  // namespace nnrt::cpu
