#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/kernels/pooling.h"
#include "core/schema/geometry.h"

namespace nnrt::cpu {
namespace {

Status resize_bilinear(const KernelArgs& args) {
  const FloatInput input(args, 0);
  FloatOutput output(args);
  const Shape& in = args.node.shape(0);
  const Shape& out = args.node.output_shape(0);
  const int64_t mode = args.node.attrs().integer(Attr::coordinate_mode);
  const std::vector<Tap> vertical = resize_taps(in[1], out[1], mode);
  const std::vector<Tap> horizontal = resize_taps(in[2], out[2], mode);
  const int64_t channels = in[3];
  const int64_t line = in[2] * channels;
  const int64_t out_line = out[2] * channels;
  args.pool.parallel_for(out[0] * out[1], 1 + (1 << 13) / out_line, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* image = input.data() + row / out[1] * in[1] * line;
      const Tap& v = vertical[size_t(row % out[1])];
      const float* low = image + v.low * line;
      const float* high = image + v.high * line;
      float* to = output.data() + row * out_line;
      for (const Tap& h : horizontal) {
        const int64_t left = h.low * channels;
        const int64_t right = h.high * channels;
        for (int64_t c = 0; c < channels; ++c) {
          const float upper = (1 - h.t) * low[left + c] + h.t * low[right + c];
          const float lower = (1 - h.t) * high[left + c] + h.t * high[right + c];
          *to++ = (1 - v.t) * upper + v.t * lower;
        }
      }
    }
  });
  output.store();
  return {};
}

constexpr KernelRow kPoolingKernels[] = {
    {Op::avg_pool, avg_pool},
    {Op::max_pool, max_pool},
    {Op::resize_bilinear, resize_bilinear},
};

}  // namespace

std::span<const KernelRow> pooling_kernels() { return kPoolingKernels; }

}  // namespace nnrt::cpu
