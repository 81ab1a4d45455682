#include "backends/cpu/base/axis_lines.h"
#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/kernels/reduction/reduction_groups.h"
#include "backends/cpu/kernels/reduction/reduction_kernels.h"
#include "backends/cpu/simd/elementwise_loops.h"
#include "core/schema/attention_geometry.h"
#include "core/schema/geometry.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace nnrt::cpu {
namespace {

using cpu::softmax_line;

double softmax_line(const double* x, double* y, int64_t length) {
  const double largest = *std::max_element(x, x + length);
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) {
    y[i] = std::exp(x[i] - largest);
    sum += y[i];
  }
  const double factor = 1 / sum;
  for (int64_t i = 0; i < length; ++i) y[i] *= factor;
  return sum;
}

template <typename T>
void log_softmax_line(const T* x, T* y, int64_t length) {
  const T largest = *std::max_element(x, x + length);
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) sum += std::exp(x[i] - largest);
  const T logarithm = T(std::log(sum));
  for (int64_t i = 0; i < length; ++i) y[i] = (x[i] - largest) - logarithm;
}

Result<Lines> axis_lines(const NodeView& node) {
  const Shape& shape = node.shape(0);
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(node.attrs().integer(Attr::axis), std::max<size_t>(shape.size(), 1)));
  return lines_of(shape, size_t(axis));
}

template <typename Line>
Status transform_lines(const KernelArgs& args, Line transform) {
  NNRT_ASSIGN(const Lines lines, axis_lines(args.node));
  const auto body = [&](int64_t, const auto* x, auto* y) { transform(x, y, lines.length); };
  if (args.node.dtype() == DType::f64) {
    for_each_line(lines, lines.length, args.input<double>(0), args.output<double>(), args.pool, body);
    return {};
  }
  const FloatInput input(args, 0);
  FloatOutput output(args);
  for_each_line(lines, lines.length, input.data(), output.data(), args.pool, body);
  output.store();
  return {};
}

Status softmax(const KernelArgs& args) {
  const ZeroRows zero_rows = zero_rows_of(Op::softmax, args.node.attrs());
  const auto is_zero = [zero_rows](const auto* x, int64_t length) {
    if (zero_rows != ZeroRows::masked) return zero_rows == ZeroRows::nan;
    return std::all_of(x, x + length, [](double v) { return v < 0 && std::isinf(v); });
  };
  return transform_lines(args, [&](const auto* x, auto* y, int64_t length) {
    if (std::isnan(softmax_line(x, y, length)) && is_zero(x, length)) std::fill_n(y, length, 0);
  });
}

Status log_softmax(const KernelArgs& args) {
  return transform_lines(args,
                         [](const auto* x, auto* y, int64_t length) { log_softmax_line(x, y, length); });
}

// All dimensions if none are given.
Result<std::vector<size_t>> normalized_axes(const NodeView& node) {
  const size_t rank = node.shape(0).size();
  std::vector<size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), size_t{0});
  if (!node.attrs().has(Attr::axes) || rank == 0) return axes;
  axes.clear();
  for (const int64_t value : node.attrs().integers(Attr::axes)) {
    NNRT_ASSIGN(const int64_t axis, normalize_axis(value, rank));
    axes.push_back(size_t(axis));
  }
  return axes;
}

Status l2_normalize(const KernelArgs& args) {
  const Shape& shape = args.node.shape(0);
  NNRT_ASSIGN(const std::vector<size_t> axes, normalized_axes(args.node));
  const Groups groups = groups_of(shape, axes);
  const FloatInput input(args, 0);
  FloatOutput output(args);
  const Attrs& attrs = args.node.attrs();
  const double epsilon = attrs.real(Attr::epsilon);
  std::vector<float> factors(static_cast<size_t>(groups.count));
  const ReduceOrder order = groups.has_rows() ? ReduceOrder::rows : ReduceOrder::columns;
  reduce_groups<SquareSumReducer>(groups, input.data(), args.pool, order, [&](int64_t group, double sum) {
    const double norm = std::sqrt(std::max(sum, epsilon));
    factors[size_t(group)] = norm < double(std::numeric_limits<float>::min()) ? 0 : float(1 / norm);
  });

  Shape kept = shape;
  for (const size_t axis : axes) kept[axis] = 1;
  const std::array operands{strides_of(shape), broadcast_strides(kept, shape)};
  const Collapsed flat = collapse(shape, operands);
  const Activation activation = activation_of(attrs);
  args.pool.parallel_for(input.count(), 1 << 14, [&](int64_t begin, int64_t end) {
    walk<2>(flat.shape, flat.strides, begin, end,
            [&](int64_t position, const std::array<int64_t, 2>& offsets, int64_t length) {
              const float* factor = factors.data() + offsets[1];
              const int64_t step = flat.strides[1].back();
              for (int64_t i = 0; i < length; ++i)
                output[position + i] = apply_activation(activation, input[position + i] * factor[i * step]);
            });
  });
  output.store();
  return {};
}

// NHWC: a pixel's channels form a line.
Status lrn(const KernelArgs& args) {
  const Attrs& attrs = args.node.attrs();
  const Lines lines = lines_of(args.node.shape(0), 3);
  const int64_t radius = std::min(attrs.integer(Attr::radius), lines.length);
  const double bias = attrs.real(Attr::bias);
  const double alpha = attrs.real(Attr::alpha);
  const float exponent = float(-attrs.real(Attr::beta));
  const FloatInput input(args, 0);
  FloatOutput output(args);
  for_each_line(lines, lines.length, input.data(), output.data(), args.pool,
                [&](int64_t, const float* x, float* y) {
                  for (int64_t c = 0; c < lines.length; ++c) {
                    const int64_t last = std::min(c + radius, lines.length - 1);
                    double sum = 0;
                    for (int64_t j = std::max<int64_t>(c - radius, 0); j <= last; ++j)
                      sum += double(x[j]) * double(x[j]);
                    y[c] = x[c] * std::pow(float(bias + alpha * sum), exponent);
                  }
                });
  output.store();
  return {};
}

constexpr KernelRow kNormKernels[] = {
    {Op::softmax, softmax},       {Op::log_softmax, log_softmax},     {Op::l2_normalize, l2_normalize},
    {Op::layer_norm, layer_norm}, {Op::instance_norm, instance_norm}, {Op::lrn, lrn},
    {Op::rms_norm, rms_norm},     {Op::group_norm, group_norm},
};

}  // namespace

std::span<const KernelRow> norm_kernels() { return kNormKernels; }

}  // namespace nnrt::cpu
