// Quantization of operands, and sums with a bias.
#pragma once

#include "core/graph/graph.h"
#include "tests/support/linear_algebra/eigen_oracle.h"

#include <cmath>

namespace nnrt::test {

inline Quant left_quant(DType dtype) { return dtype == DType::i8 ? Quant{{0.5}, {7}} : Quant{}; }
inline Quant right_quant(DType dtype) { return dtype == DType::i8 ? Quant{{0.25}, {-2}} : Quant{}; }

// A scale and a zero point per output channel.
inline Quant channel_quant(DType dtype, int64_t channels) {
  Quant quant;
  for (int64_t c = 0; c < channels && dtype == DType::i8; ++c) {
    quant.scales.push_back(c % 3 == 0 ? 0.25 : 0.125);
    quant.zero_points.push_back(int32_t(c % 5) - 2);
  }
  return quant;
}

inline eigen::Reals magnitudes_of(eigen::Reals values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

// Channels are the last dimension.
inline void add_bias(eigen::Reals& sums, eigen::Reals& magnitudes, const eigen::Reals& bias) {
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] += bias[i % bias.size()];
    magnitudes[i] += std::abs(bias[i % bias.size()]);
  }
}

}  // namespace nnrt::test
