// Epilogue of every linear operator: turns sums of products into output elements.
#pragma once

#include "backends/cpu/base/element.h"
#include "backends/cpu/gemm/generic_gemm.h"

#include <span>
#include <vector>

namespace nnrt::cpu {

class GemmOutput {
 public:
  // Inputs 0 and 1 are the operands; `columns` is the number of output channels.
  GemmOutput(const KernelArgs& args, bool has_bias, int64_t columns, size_t bias_input = 2);

  // Converts sums of the channels from `channel` on to the elements from `at` on: bias, requantization (R12),
  // activation (R15), and post-ops of FLOAT32 nodes.
  void store(std::span<const float> sums, int64_t channel, int64_t at) const;
  void store(std::span<const int32_t> sums, int64_t channel, int64_t at) const;

  // Like store(), for a block of sums whose column 0 is `channel`. Output rows have `row_elements` elements.
  template <typename Sum>
  void store_block(const Sums<Sum>& sums, int64_t channel, int64_t row_elements) const {
    channel += sums.column;
    for (int64_t r = 0; r < sums.rows; ++r) {
      store(std::span(sums.data + r * sums.stride, size_t(sums.columns)), channel,
            (sums.row + r) * row_elements + channel);
    }
  }

  // Like store(), for contiguous elements of a single channel.
  void store_row(std::span<const float> sums, int64_t channel, int64_t at) const;
  void store_row(std::span<const int32_t> sums, int64_t channel, int64_t at) const;

 private:
  // `bias` and `scales` have one value per sum: pointers, or a value that all share.
  template <typename Bias>
  void store_biased(std::span<const float> sums, const Bias& bias, int64_t at) const;
  template <typename Bias, typename Scales>
  void store_biased(std::span<const int32_t> sums, const Bias& bias, const Scales& scales, int64_t at) const;
  void apply_steps(int64_t at, int64_t count) const;

  const KernelArgs& args_;
  const Tensor& tensor_;
  std::byte* data_;
  Activation activation_;
  std::vector<float> bias_;          // for float operands; zeros if there is no bias
  std::vector<int32_t> int32_bias_;  // for quantized operands
  std::vector<double> scales_;       // per channel: from sums to steps of the quantized output
};

// Factor from a channel's sums to steps of the quantized output. With ties to even, rounded to FLOAT32 as in
// ONNX.
double sum_scale_of(const NodeView& node, size_t channel);

// Bounds of a quantized node's results after its activation.
struct QuantizedBounds {
  int8_t low, high;
};
QuantizedBounds quantized_bounds(const Tensor& output, Activation activation);

// Zero point of a quantized tensor, otherwise 0.
int32_t zero_point_of(const Tensor& tensor);

}  // namespace nnrt::cpu
