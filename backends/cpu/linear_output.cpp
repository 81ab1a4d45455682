#include "backends/cpu/linear_output.h"

#include <algorithm>

namespace nnrt::cpu {

LinearOutput::LinearOutput(const KernelArgs& args, bool has_bias, int64_t columns)
    : tensor_(args.node.output(0)), data_(args.out[0]), activation_(activation_of(args.node.attrs())) {
  if (args.node.dtype(0) != DType::i8) {
    bias_.resize(size_t(columns));
    if (has_bias) to_floats(args.node.input(2), args.in[2], bias_, args.pool);
    return;
  }
  code_bias_.resize(size_t(columns));
  if (has_bias) std::copy_n(args.input<int32_t>(2), columns, code_bias_.begin());
  const Quant& weight = args.node.input(1).quant;
  const double input_scale = affine_of(args.node.input(0)).scale;
  for (size_t channel = 0; channel < size_t(columns); ++channel)
    scales_.push_back(input_scale * weight.scales[weight.scales.size() == 1 ? 0 : channel]);
}

void LinearOutput::store(std::span<const float> sums, int64_t channel, int64_t at) const {
  const float* bias = bias_.data() + channel;
  if (tensor_.dtype == DType::f32) {
    float* to = reinterpret_cast<float*>(data_) + at;
    for (size_t i = 0; i < sums.size(); ++i) to[i] = apply_activation(activation_, sums[i] + bias[i]);
    return;
  }
  Half* to = reinterpret_cast<Half*>(data_) + at;
  for (size_t i = 0; i < sums.size(); ++i) to[i] = to_half(apply_activation(activation_, sums[i] + bias[i]));
}

void LinearOutput::store(std::span<const int32_t> sums, int64_t channel, int64_t at) const {
  const Affine affine = affine_of(tensor_);
  int8_t* to = reinterpret_cast<int8_t*>(data_) + at;
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t c = size_t(channel) + i;
    const int32_t sum = int32_t(uint32_t(sums[i]) + uint32_t(code_bias_[c]));
    to[i] = quantize<int8_t>(apply_activation(activation_, double(sum) * scales_[c]), affine);
  }
}

int32_t zero_point_of(const Tensor& tensor) { return affine_of(tensor).zero_point; }

}  // namespace nnrt::cpu
