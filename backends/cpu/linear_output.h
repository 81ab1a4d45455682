// The end of every linear operator: from sums of products to elements of its output.
#pragma once

#include "backends/cpu/element.h"

#include <span>
#include <vector>

namespace nnrt::cpu {

class LinearOutput {
 public:
  // Inputs 0 and 1 are the factors; the bias is input 2. `columns` is the number of output channels.
  LinearOutput(const KernelArgs& args, bool has_bias, int64_t columns);

  // Takes sums of the channels from `channel` on, and writes the elements from `at` on: bias, scales of a
  // quantized node (R12), activation (R15).
  void store(std::span<const float> sums, int64_t channel, int64_t at) const;
  void store(std::span<const int32_t> sums, int64_t channel, int64_t at) const;

 private:
  const Tensor& tensor_;
  std::byte* data_;
  Activation activation_;
  std::vector<float> bias_;         // of float operands, zeros where there is none
  std::vector<int32_t> code_bias_;  // of quantized ones
  std::vector<double> scales_;      // from sums of codes to units of the output's codes, for each channel
};

// The codes that results of a quantized node may have after its activation.
struct CodeBounds {
  int8_t low, high;
};
CodeBounds code_bounds(const Tensor& output, Activation activation);

// The zero point of a quantized tensor, else 0.
int32_t zero_point_of(const Tensor& tensor);

}  // namespace nnrt::cpu
