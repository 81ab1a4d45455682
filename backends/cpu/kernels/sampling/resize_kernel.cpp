// RESIZE, one dimension at a time.
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/sampling/sampling_kernels.h"
#include "backends/cpu/simd/simd.h"
#include "core/schema/resize_weights.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

// [outer, in, inner] becomes [outer, out, inner].
struct Pass {
  const ResizeAxis& axis;
  int64_t outer, inner;
  bool copies;  // every output element is an input element

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

  // All rows, if `inner` is 1.
  [[gnu::always_inline]] void line(const float* x, float* y) const {
    const int64_t out = axis.out, taps = axis.taps;
    const int64_t* const first = axis.first.data();
    if (copies) {
      for (int64_t i = 0; i < out; ++i) y[i] = x[first[i]];
      return;
    }
    const float* weights = axis.weights.data();
    for (int64_t i = 0; i < out; ++i, weights += taps + 1) {
      const float* const from = x + first[i];
      float sum = weights[taps];
      for (int64_t k = 0; k < taps; ++k)
        if (weights[k] != 0) sum += weights[k] * from[k];
      y[i] = sum;
    }
  }
};

// As for nearest neighbors.
bool is_copy(const ResizeAxis& axis) {
  if (axis.taps != 1) return false;
  for (int64_t i = 0; i < axis.out; ++i)
    if (axis.weights_of(i)[0] != 1 || axis.weights_of(i)[1] != 0) return false;
  return true;
}

void run_lines(const Pass& pass, const float* x, float* y, ThreadPool& pool) {
  const ResizeAxis& axis = pass.axis;
  constexpr int64_t kGrain = 1 << 13;  // products worth a thread
  pool.parallel_for(pass.outer, 1 + kGrain / (axis.taps * axis.out), [&](int64_t begin, int64_t end) {
    with_vectors(
        vector_bytes(), [&](auto) __attribute__((always_inline)) {
          for (int64_t row = begin; row < end; ++row) pass.line(x + row * axis.in, y + row * axis.out);
        });
  });
}

void run_rows(const Pass& pass, const float* x, float* y, ThreadPool& pool) {
  const ResizeAxis& axis = pass.axis;
  constexpr int64_t kGrain = 1 << 15;  // products worth a thread
  const int64_t grain = 1 + kGrain / (axis.taps * pass.inner);
  pool.parallel_for(pass.outer * axis.out, grain, [&](int64_t begin, int64_t end) {
    with_vectors(
        vector_bytes(), [&](auto) __attribute__((always_inline)) {
          for (int64_t row = begin; row < end; ++row) {
            const float* const from = x + row / axis.out * axis.in * pass.inner;
            float* const to = y + row * pass.inner;
            if (pass.copies) {
              std::copy_n(from + axis.first[size_t(row % axis.out)] * pass.inner, pass.inner, to);
            } else {
              pass.row(from, row % axis.out, to);
            }
          }
        });
  });
}

}  // namespace

Status resize(const KernelArgs& args) {
  NNRT_ASSIGN(std::vector<ResizeAxis> axes, resize_axes(args.node));
  // Copies may be made in any order: rows that repeat are best made from finished ones.
  if (std::ranges::all_of(axes, is_copy)) std::ranges::reverse(axes);
  const FloatInput input(args, 0);
  FloatOutput output(args);
  Shape shape = args.node.shape(0);
  std::vector<float> before, after;
  const float* x = input.data();
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t d = axes[i].dimension;
    const Pass pass{axes[i], product(shape, 0, d), product(shape, d + 1, shape.size()), is_copy(axes[i])};
    shape[d] = axes[i].out;
    const bool is_last = i + 1 == axes.size();
    if (!is_last) after.resize(size_t(product(shape, 0, shape.size())));
    float* const y = is_last ? output.data() : after.data();
    if (pass.inner == 1) {
      run_lines(pass, x, y, args.pool);
    } else {
      run_rows(pass, x, y, args.pool);
    }
    std::swap(before, after);
    x = before.data();
  }
  if (axes.empty()) std::copy_n(x, input.count(), output.data());
  output.store();
  return {};
}

}  // namespace nnrt::cpu
