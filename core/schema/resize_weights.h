// Interpolation weights of RESIZE along one dimension, for kernels of all devices.
#pragma once

#include "core/schema/node_view.h"

#include <vector>

namespace nnrt {

// Output element i is the sum of weight(i)[k] * x[first[i] + k] for k < taps, plus weight(i)[taps], which is
// the extrapolated value. All first[i] + k are inside the input.
struct ResizeAxis {
  size_t dimension = 0;
  int64_t in = 0, out = 0, taps = 0;
  std::vector<int64_t> first{};
  std::vector<float> weights{};

  const float* weights_of(int64_t i) const { return weights.data() + i * (taps + 1); }
  // The output equals the input.
  bool is_identity() const;
};

// The resized dimensions, in order; input and output shapes must be known.
Result<std::vector<ResizeAxis>> resize_axes(const NodeView& node);

}  // namespace nnrt
