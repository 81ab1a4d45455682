#include "backends/cpu/base/axis_lines.h"
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/reduction/grouped_pixels.h"
#include "backends/cpu/kernels/reduction/reduction_groups.h"
#include "backends/cpu/kernels/reduction/reduction_kernels.h"
#include "backends/cpu/simd/simd.h"
#include "core/schema/geometry.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

struct Moments {
  double mean, factor;  // 1 / sqrt(variance + epsilon)
};

// The sum of squared distances from `mean`.
[[gnu::always_inline]] inline double squares_of(const float* x, int64_t length, double mean) {
  constexpr int64_t kLanes = 8;  // independent accumulators
  std::array<double, kLanes> sums{};
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const double difference = x[i + lane] - mean;
      sums[size_t(lane)] += difference * difference;
    }
  }
  for (; i < length; ++i) sums[0] += (x[i] - mean) * (x[i] - mean);
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

Moments moments_around(double mean, const float* x, int64_t length, double epsilon) {
  double sum = 0;
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) { sum = squares_of(x, length, mean); });
  return {mean, 1 / std::sqrt(sum / double(length) + epsilon)};
}

// Two passes, so that a large common offset doesn't cancel the variance.
Moments moments_of(const float* x, int64_t length, double epsilon) {
  return moments_around(reduce_run<SumReducer>(x, length) / double(length), x, length, epsilon);
}

// y[i] = finish(normalized x[i], i); `finish` is always inlined.
template <typename Finish>
void normalize_line(const float* x, float* y, int64_t length, const Moments& moments, const Finish& finish) {
  const double mean = moments.mean, factor = moments.factor;
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        for (int64_t i = 0; i < length; ++i) y[i] = finish(float((x[i] - mean) * factor), i);
      });
}

// All elements share one channel's scale and shift.
void normalize_plane(const float* x, float* y, int64_t length, const Moments& moments, float scale,
                     float shift) {
  normalize_line(
      x, y, length,
      moments, [=](float v, int64_t) __attribute__((always_inline)) { return v * scale + shift; });
}

// A line spans all dimensions from the axis on.
Lines lines_from(const Shape& shape, size_t axis) {
  return {product(shape, 0, axis), product(shape, axis, shape.size()), 1};
}

}  // namespace

Status layer_norm(const KernelArgs& args) {
  const Lines lines =
      lines_from(args.node.shape(0), size_t(args.node.attrs().integer(Attr::begin_norm_axis)));
  const double epsilon = args.node.attrs().real(Attr::epsilon);
  const FloatInput input(args, 0), gamma(args, 1), beta(args, 2);
  FloatOutput output(args);
  const auto finish =
      [ scale = gamma.data(), shift = beta.data() ](float v, int64_t i) __attribute__((always_inline)) {
    return v * scale[i] + shift[i];
  };
  for_each_line(lines, lines.length, input.data(), output.data(), args.pool,
                [&](int64_t, const float* x, float* y) {
                  normalize_line(x, y, lines.length, moments_of(x, lines.length, epsilon), finish);
                });
  output.store();
  return {};
}

Status rms_norm(const KernelArgs& args) {
  const Shape shape = with_dimension(args.node.shape(0));
  NNRT_ASSIGN(const size_t axis,
              normalize_axis(args.node.attrs().integer(Attr::begin_norm_axis), shape.size()));
  const Lines lines = lines_from(shape, axis);
  const double epsilon = args.node.attrs().real(Attr::epsilon);
  const FloatInput input(args, 0), gamma(args, 1);
  FloatOutput output(args);
  const auto finish = [scale = gamma.data()](float v, int64_t i) __attribute__((always_inline)) {
    return v * scale[i];
  };
  for_each_line(lines, lines.length, input.data(), output.data(), args.pool,
                [&](int64_t, const float* x, float* y) {
                  normalize_line(x, y, lines.length, moments_around(0, x, lines.length, epsilon), finish);
                });
  output.store();
  return {};
}

// Only the NHWC format means channels last (R16); each plane is then a line of strided elements.
Status instance_norm(const KernelArgs& args) {
  const Shape& shape = args.node.shape(0);
  const bool channels_last = args.node.format() == Format::nhwc;
  const int64_t channels = channels_last ? shape.back() : shape[1];
  const Lines lines = channels_last ? Lines{shape[0], product(shape, 1, shape.size() - 1), channels}
                                    : Lines{shape[0] * channels, product(shape, 2, shape.size()), 1};
  const double epsilon = args.node.attrs().real(Attr::epsilon);
  const FloatInput input(args, 0), scale(args, 1), bias(args, 2);
  FloatOutput output(args);
  for_each_line(lines, lines.length, input.data(), output.data(), args.pool,
                [&](int64_t line, const float* x, float* y) {
                  const int64_t channel = line % channels;
                  normalize_plane(x, y, lines.length, moments_of(x, lines.length, epsilon), scale[channel],
                                  bias[channel]);
                });
  output.store();
  return {};
}

// With channels first, the planes of a group form a line.
Status group_norm(const KernelArgs& args) {
  const Shape& shape = args.node.shape(0);
  const int64_t groups = args.node.attrs().integer(Attr::group);
  const double epsilon = args.node.attrs().real(Attr::epsilon);
  const FloatInput input(args, 0), scale(args, 1), bias(args, 2);
  FloatOutput output(args);
  const int64_t width = scale.count() / groups;
  if (channel_axis(args.node) == 1) {
    const int64_t plane = product(shape, 2, shape.size());
    const Lines lines{shape[0] * groups, width * plane, 1};
    for_each_line(lines, lines.length, input.data(), output.data(), args.pool,
                  [&](int64_t line, const float* x, float* y) {
                    const Moments moments = moments_of(x, lines.length, epsilon);
                    const int64_t first = line % groups * width;
                    for (int64_t c = first; c < first + width; ++c, x += plane, y += plane)
                      normalize_plane(x, y, plane, moments, scale[c], bias[c]);
                  });
  } else {
    const GroupedPixels pixels{product(shape, 1, shape.size() - 1), groups, width, epsilon};
    normalize_groups(pixels, shape[0], {input.data(), scale.data(), bias.data(), output.data()}, args.pool);
  }
  output.store();
  return {};
}

}  // namespace nnrt::cpu
