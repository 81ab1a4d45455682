// The interpolation of RESIZE along one dimension, for kernels of every device.
#pragma once

#include "core/schema/node_view.h"

#include <vector>

namespace nnrt {

// Element i of the result is the sum of weight(i)[k] * x[first[i] + k] for k < taps, plus weight(i)[taps],
// which is the value outside of the input. All of first[i] + k lie in the input.
struct ResizeAxis {
  size_t dimension = 0;
  int64_t in = 0, out = 0, taps = 0;
  std::vector<int64_t> first{};
  std::vector<float> weights{};

  const float* weights_of(int64_t i) const { return weights.data() + i * (taps + 1); }
  // The results are the elements of the input.
  bool is_identity() const;
};

// The dimensions that change, one after the other; shapes of input and output are known.
Result<std::vector<ResizeAxis>> resize_axes(const NodeView& node);

}  // namespace nnrt
