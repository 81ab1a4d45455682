// RESIZE, one dimension at a time.
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/sampling/sampling_kernels.h"
#include "backends/cpu/simd/simd.h"
#include "core/schema/resize_weights.h"

namespace nnrt::cpu {
namespace {

// [outer, in, inner] becomes [outer, out, inner].
struct Pass {
  const ResizeAxis& axis;
  int64_t outer, inner;

  [[gnu::always_inline]] void row(const float* x, int64_t i, float* y) const {
    const float* const weights = axis.weights_of(i);
    const float* from = x + axis.first[size_t(i)] * inner;
    for (int64_t c = 0; c < inner; ++c) y[c] = weights[axis.taps];
    for (int64_t k = 0; k < axis.taps; ++k, from += inner) {
      const float weight = weights[k];
      if (weight == 0) continue;
      for (int64_t c = 0; c < inner; ++c) y[c] += weight * from[c];
    }
  }
};

void run(const Pass& pass, const float* x, float* y, ThreadPool& pool) {
  const ResizeAxis& axis = pass.axis;
  constexpr int64_t kGrain = 1 << 15;  // products worth a thread
  const int64_t grain = 1 + kGrain / (axis.taps * pass.inner);
  pool.parallel_for(pass.outer * axis.out, grain, [&](int64_t begin, int64_t end) {
    with_vectors(
        vector_bytes(), [&](auto) __attribute__((always_inline)) {
          for (int64_t row = begin; row < end; ++row)
            pass.row(x + row / axis.out * axis.in * pass.inner, row % axis.out, y + row * pass.inner);
        });
  });
}

}  // namespace

Status resize(const KernelArgs& args) {
  NNRT_ASSIGN(const std::vector<ResizeAxis> axes, resize_axes(args.node));
  const FloatInput input(args, 0);
  FloatOutput output(args);
  Shape shape = args.node.shape(0);
  std::vector<float> before, after;
  const float* x = input.data();
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t d = axes[i].dimension;
    const Pass pass{axes[i], product(shape, 0, d), product(shape, d + 1, shape.size())};
    shape[d] = axes[i].out;
    const bool is_last = i + 1 == axes.size();
    if (!is_last) after.resize(size_t(product(shape, 0, shape.size())));
    run(pass, x, is_last ? output.data() : after.data(), args.pool);
    std::swap(before, after);
    x = before.data();
  }
  if (axes.empty()) std::copy_n(x, input.count(), output.data());
  output.store();
  return {};
}

}  // namespace nnrt::cpu
