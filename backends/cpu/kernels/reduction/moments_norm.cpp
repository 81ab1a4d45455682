#include "backends/cpu/kernels/reduction/moments_norm.h"

#include "backends/cpu/base/axis_lines.h"
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/reduction/reduction_groups.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

struct Moments {
  double mean, factor;  // 1 / sqrt(variance + epsilon)
};

// In two passes: a common offset of the values does not swallow their spread.
Moments moments_of(const float* x, int64_t length, double epsilon) {
  const double mean = reduce_run<SumReducer>(x, length) / double(length);
  constexpr int64_t kLanes = 8;  // sums that do not wait for each other
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
  return {mean, 1 / std::sqrt(sum / double(length) + epsilon)};
}

float normalized(float x, const Moments& moments) { return float((x - moments.mean) * moments.factor); }

}  // namespace

Status layer_norm(const KernelArgs& args) {
  const Shape& shape = args.node.shape(0);
  const size_t axis = size_t(args.node.attrs().integer(Attr::begin_norm_axis));
  const Lines lines{product(shape, 0, axis), product(shape, axis, shape.size()), 1};
  const double epsilon = args.node.attrs().real(Attr::epsilon);
  const FloatInput input(args, 0), gamma(args, 1), beta(args, 2);
  FloatOutput output(args);
  for_each_line(lines, lines.length, input.data(), output.data(), args.pool,
                [&](int64_t, const float* x, float* y) {
                  const Moments moments = moments_of(x, lines.length, epsilon);
                  for (int64_t i = 0; i < lines.length; ++i)
                    y[i] = normalized(x[i], moments) * gamma[i] + beta[i];
                });
  output.store();
  return {};
}

// Only NHWC means channels last (R16): each plane is a line there too, of strided elements.
Status instance_norm(const KernelArgs& args) {
  const Shape& shape = args.node.shape(0);
  const bool channels_last = args.node.format() == Format::nhwc;
  const int64_t channels = shape[channels_last ? 3 : 1];
  const Lines lines = channels_last ? Lines{shape[0], shape[1] * shape[2], channels}
                                    : Lines{shape[0] * channels, shape[2] * shape[3], 1};
  const double epsilon = args.node.attrs().real(Attr::epsilon);
  const FloatInput input(args, 0), scale(args, 1), bias(args, 2);
  FloatOutput output(args);
  for_each_line(lines, lines.length, input.data(), output.data(), args.pool,
                [&](int64_t line, const float* x, float* y) {
                  const Moments moments = moments_of(x, lines.length, epsilon);
                  const int64_t channel = line % channels;
                  for (int64_t i = 0; i < lines.length; ++i)
                    y[i] = normalized(x[i], moments) * scale[channel] + bias[channel];
                });
  output.store();
  return {};
}

}  // namespace nnrt::cpu
