#include "backends/cpu/gemm/gemm_output.h"

#include "backends/cpu/simd/elementwise_loops.h"
#include "backends/cpu/simd/simd.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

// The result range: the activation's bounds (R15) intersected with the quantized type's.
struct QuantizedRange {
  double low, high;
  int32_t zero_point;
  bool ties_to_even;
};
QuantizedRange quantized_range(Affine affine, Activation activation) {
  QuantizedRange range{-128.0 - affine.zero_point, 127.0 - affine.zero_point, affine.zero_point,
                       affine.ties_to_even};
  const auto clamped = [range](double value) { return std::clamp(value, range.low, range.high); };
  if (activation == Activation::none) return range;
  const double low = clamped(0);
  if (activation == Activation::relu6) range.high = clamped(float(6 / affine.scale));
  range.low = low;
  return range;
}

template <typename T>
struct SharedValue {
  T value;
  T operator[](size_t) const { return value; }
};

}  // namespace

double sum_scale_of(const NodeView& node, size_t channel) {
  const Quant& weight = node.input(1).quant;
  const Affine from = affine_of(node.input(0)), to = affine_of(node.output(0));
  const double scale = weight.scales[weight.scales.size() == 1 ? 0 : channel];
  if (!to.ties_to_even) return from.scale / to.scale * scale;
  return double(float(from.scale) * float(scale) / float(to.scale));
}

GemmOutput::GemmOutput(const KernelArgs& args, bool has_bias, int64_t columns, size_t bias_input)
    : args_(args),
      tensor_(args.node.output(0)),
      data_(args.out[0]),
      activation_(activation_of(args.node.attrs())) {
  if (args.node.dtype(0) != DType::i8) {
    bias_.resize(size_t(columns));
    if (has_bias) to_floats(args.node.input(bias_input), args.in[bias_input], bias_, args.pool);
    return;
  }
  int32_bias_.resize(size_t(columns));
  if (has_bias) std::copy_n(args.input<int32_t>(bias_input), columns, int32_bias_.begin());
  for (size_t channel = 0; channel < size_t(columns); ++channel)
    scales_.push_back(sum_scale_of(args.node, channel));
}

template <typename Bias>
void GemmOutput::store_biased(std::span<const float> sums, const Bias& bias, int64_t at) const {
  const Activation activation = activation_;
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        if (tensor_.dtype == DType::f32) {
          float* to = reinterpret_cast<float*>(data_) + at;
          for (size_t i = 0; i < sums.size(); ++i) to[i] = apply_activation(activation, sums[i] + bias[i]);
        } else {
          Half* to = reinterpret_cast<Half*>(data_) + at;
          for (size_t i = 0; i < sums.size(); ++i)
            to[i] = to_half(apply_activation(activation, sums[i] + bias[i]));
        }
      });
  if (tensor_.dtype == DType::f32) apply_steps(at, int64_t(sums.size()));
}

void GemmOutput::apply_steps(int64_t at, int64_t count) const {
  for (const PostOp& step : args_.node.node().post_ops) {
    const float* const other = step.other ? args_.input<float>(*step.other) + at : nullptr;
    apply_post_op(step, reinterpret_cast<float*>(data_) + at, other, count);
  }
}

template <typename Bias, typename Scales>
void GemmOutput::store_biased(std::span<const int32_t> sums, const Bias& bias, const Scales& scales,
                              int64_t at) const {
  if (tensor_.dtype == DType::i32) {
    int32_t* to = reinterpret_cast<int32_t*>(data_) + at;
    for (size_t i = 0; i < sums.size(); ++i) to[i] = int32_t(uint32_t(sums[i]) + uint32_t(bias[i]));
    return;
  }
  const QuantizedRange range = quantized_range(affine_of(tensor_), activation_);
  int8_t* to = reinterpret_cast<int8_t*>(data_) + at;
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        for (size_t i = 0; i < sums.size(); ++i) {
          const auto sum = int32_t(uint32_t(sums[i]) + uint32_t(bias[i]));
          const double value =
              range.ties_to_even ? double(float(sum) * float(scales[i])) : double(sum) * scales[i];
          const double inside = std::min(std::max(value, range.low), range.high);
          to[i] = int8_t(nearest(inside, range.ties_to_even) + range.zero_point);
        }
      });
}

void GemmOutput::store(std::span<const float> sums, int64_t channel, int64_t at) const {
  store_biased(sums, bias_.data() + channel, at);
}

void GemmOutput::store(std::span<const int32_t> sums, int64_t channel, int64_t at) const {
  store_biased(sums, int32_bias_.data() + channel, scales_.data() + channel, at);
}

void GemmOutput::store_row(std::span<const float> sums, int64_t channel, int64_t at) const {
  store_biased(sums, SharedValue<float>{bias_[size_t(channel)]}, at);
}

void GemmOutput::store_row(std::span<const int32_t> sums, int64_t channel, int64_t at) const {
  store_biased(sums, SharedValue<int32_t>{int32_bias_[size_t(channel)]},
               SharedValue<double>{scales_[size_t(channel)]}, at);
}

QuantizedBounds quantized_bounds(const Tensor& output, Activation activation) {
  const QuantizedRange range = quantized_range(affine_of(output), activation);
  const auto code = [&](double value) {
    return int8_t(nearest(value, range.ties_to_even) + range.zero_point);
  };
  return {code(range.low), code(range.high)};
}

int32_t zero_point_of(const Tensor& tensor) { return affine_of(tensor).zero_point; }

}  // namespace nnrt::cpu
