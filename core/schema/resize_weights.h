// How RESIZE maps one dimension to another, for kernels of all devices and for readers of model files.
#pragma once

#include "core/schema/node_view.h"

#include <vector>

namespace nnrt {

// Values of the parameters.
enum class ResizeMode : uint8_t { nearest, linear, cubic };
enum class ResizeCoordinates : uint8_t {
  half_pixel,
  pytorch,
  symmetric,
  corners,
  asymmetric,
  region,
  half_pixel_of_nearest
};
enum class ResizeRounding : uint8_t { half_down, half_up, floor, ceil };

// How one dimension is resized.
struct ResizeRule {
  ResizeMode mode{};
  ResizeCoordinates coordinates{};
  ResizeRounding rounding{};
  double cubic = 0, scale = 1, begin = 0, end = 1;  // begin, end: the region, as fractions
  bool exclude_outside = false, antialias = false;
  int64_t in = 0, out = 0;

  // The input element that mode nearest takes for output element i.
  int64_t nearest(int64_t i) const;
};

// The length of a dimension resized by a scale: the float32 product, rounded down; 0 if that is negative or
// NaN.
int64_t scaled_length(int64_t length, double scale);

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
