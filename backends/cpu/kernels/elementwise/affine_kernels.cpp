// Elementwise select, and x * factor + offset with per-channel terms.
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/requantize.h"
#include "backends/cpu/base/strided_walk.h"
#include "backends/cpu/kernels/elementwise/binary_kernels.h"
#include "core/schema/geometry.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

// Does nothing if the output is the operand, as when a run updates one row of a cache in place.
template <typename T>
void copy_row(const T* from, int64_t step, int64_t length, T* to) {
  if (from == to && step == 1) return;
  if (step == 0) {
    std::fill_n(to, length, *from);
  } else {
    for (int64_t i = 0; i < length; ++i) to[i] = from[i * step];
  }
}

template <bool EachA, bool EachB, typename T>
void choose_each(const uint8_t* condition, const T* a, const T* b, int64_t length, T* y) {
  for (int64_t i = 0; i < length; ++i) {
    const T of_a = a[EachA ? i : 0], of_b = b[EachB ? i : 0];  // unconditional, so that the loop vectorizes
    y[i] = condition[i] != 0 ? of_a : of_b;
  }
}

// Reads contiguous or repeated operands.
template <typename T>
void choose_each(const uint8_t* condition, const T* a, bool each_a, const T* b, bool each_b, int64_t length,
                 T* y) {
  if (each_a && each_b) return choose_each<true, true>(condition, a, b, length, y);
  if (each_a) return choose_each<true, false>(condition, a, b, length, y);
  if (each_b) return choose_each<false, true>(condition, a, b, length, y);
  choose_each<false, false>(condition, a, b, length, y);
}

// Copies bits; values of the other side don't matter.
template <typename T>
void choose(const KernelArgs& args, const T* a, const T* b) {
  constexpr int64_t kGrain = 8192;
  const NodeView& node = args.node;
  const Shape& shape = node.output_shape();
  const std::array strides{operand_strides(node.shape(0), shape), operand_strides(node.shape(1), shape),
                           operand_strides(node.shape(2), shape)};
  const Collapsed layout = collapse(shape, strides);
  const int64_t step_c = layout.strides[0].back(), step_a = layout.strides[1].back(),
                step_b = layout.strides[2].back();
  const uint8_t* condition = args.input<uint8_t>(0);
  T* y = args.output<T>();
  args.pool.parallel_for(element_count(shape).value_or(0), kGrain, [&](int64_t begin, int64_t end) {
    walk<3>(layout.shape, layout.strides, begin, end,
            [&](int64_t position, const std::array<int64_t, 3>& at, int64_t length) {
              if (step_c == 0 && condition[at[0]] != 0)
                return copy_row(a + at[1], step_a, length, y + position);
              if (step_c == 0) return copy_row(b + at[2], step_b, length, y + position);
              if (step_c == 1 && step_a <= 1 && step_b <= 1)
                return choose_each(condition + at[0], a + at[1], step_a == 1, b + at[2], step_b == 1, length,
                                   y + position);
              for (int64_t i = 0; i < length; ++i) {
                y[position + i] =
                    condition[at[0] + i * step_c] != 0 ? a[at[1] + i * step_a] : b[at[2] + i * step_b];
              }
            });
  });
}

Status select(const KernelArgs& args) {
  const CopiedInput a(args, 1, 0), b(args, 2, 0);
  dispatch_size(size_of(args.node.dtype(1)), [&]<typename T>(std::type_identity<T>) {
    choose(args, reinterpret_cast<const T*>(a.data()), reinterpret_cast<const T*>(b.data()));
  });
  return {};
}

// y = activation((x - mean[c]) * factor[c] + offset[c]) over a tensor viewed as (outer, terms, inner).
struct Terms {
  std::vector<float> mean, factor, offset;
  int64_t inner = 1;
  Activation activation = Activation::none;
};

// The activation is a template parameter so that the loops vectorize.
template <Activation activation>
void apply_terms(const float* from, float* to, int64_t length, const Terms& terms, size_t row) {
  const size_t count = terms.factor.size();
  const float *const mean = terms.mean.data(), *const factor = terms.factor.data(),
                     *const offset = terms.offset.data();
  const auto apply = [&](float value, size_t c) {
    return apply_activation(activation, (value - mean[c]) * factor[c] + offset[c]);
  };
  if (terms.inner == 1) {
    for (int64_t i = 0; i < length; ++i) to[i] = apply(from[i], size_t(i));
  } else {
    for (int64_t i = 0; i < length; ++i) to[i] = apply(from[i], row % count);
  }
}

// A row has one term; with terms along the last dimension, it has all of them.
void apply_terms(const KernelArgs& args, const Terms& terms) {
  const FloatInput x(args, 0);
  FloatOutput y(args);
  const int64_t length = terms.inner == 1 ? int64_t(terms.factor.size()) : terms.inner;
  const auto apply = terms.activation == Activation::none   ? apply_terms<Activation::none>
                     : terms.activation == Activation::relu ? apply_terms<Activation::relu>
                                                            : apply_terms<Activation::relu6>;
  args.pool.parallel_for(x.count() / length, 1 + 8192 / length, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      apply(x.data() + row * length, y.data() + row * length, length, terms, size_t(row));
  });
  y.store();
}

std::vector<float> term(const KernelArgs& args, size_t input) {
  const FloatInput values(args, input);
  return {values.values().begin(), values.values().end()};
}

Status scale(const KernelArgs& args) {
  const NodeView& node = args.node;
  const Shape& shape = node.shape();
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(node.attrs().integer(Attr::axis), std::max<size_t>(shape.size(), 1)));
  Terms terms{.mean = {}, .factor = term(args, 1), .offset = term(args, 2)};
  terms.mean.resize(terms.factor.size());
  terms.inner = product(shape, std::min(size_t(axis) + node.shape(1).size(), shape.size()), shape.size());
  terms.activation = activation_of(node.attrs());
  apply_terms(args, terms);
  return {};
}

Status batch_norm(const KernelArgs& args) {
  const NodeView& node = args.node;
  const Shape& shape = node.shape();
  Terms terms{.mean = term(args, 3), .factor = term(args, 1), .offset = term(args, 2)};
  const std::vector<float> variance = term(args, 4);
  const double epsilon = node.attrs().real(Attr::epsilon);
  for (size_t c = 0; c < variance.size(); ++c)
    terms.factor[c] = float(terms.factor[c] / std::sqrt(variance[c] + epsilon));
  terms.inner = product(shape, channel_axis(node) + 1, shape.size());
  apply_terms(args, terms);
  return {};
}

constexpr KernelRow kAffineKernels[] = {
    {Op::batch_norm, batch_norm}, {Op::scale, scale}, {Op::select, select}, {Op::where, select}};

}  // namespace

std::span<const KernelRow> affine_kernels() { return kAffineKernels; }

}  // namespace nnrt::cpu
