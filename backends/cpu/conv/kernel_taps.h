// Finds the kernel taps inside the input.
#pragma once

#include "core/base/divide_up.h"
#include "core/schema/geometry.h"

#include <algorithm>

namespace nnrt::cpu {

struct TapRange {
  int64_t begin = 0, end = 0;
  int64_t count() const { return end - begin; }
};

// The input cell under the first kernel tap at output cell `out`; may be outside the input.
inline int64_t tap_origin(const SpatialParams& spatial, size_t axis, int64_t out) {
  return out * spatial.stride[axis] - spatial.before[axis];
}

// Which of `taps` kernel taps are inside the input at output cell `out`.
inline TapRange taps_inside(const SpatialParams& spatial, size_t axis, int64_t out, int64_t taps) {
  const int64_t start = tap_origin(spatial, axis, out);
  const int64_t step = spatial.dilation[axis];
  const int64_t begin = start < 0 ? (-start + step - 1) / step : 0;
  const int64_t end = start < spatial.in[axis] ? (spatial.in[axis] - start + step - 1) / step : 0;
  return {begin, std::max(begin, std::min(end, taps))};
}
inline TapRange taps_inside(const SpatialParams& spatial, size_t axis, int64_t out) {
  return taps_inside(spatial, axis, out, spatial.kernel[axis]);
}

// The output cells whose taps are all inside the input.
inline TapRange inner_outputs(const SpatialParams& spatial, size_t axis) {
  const int64_t stride = spatial.stride[axis], before = spatial.before[axis];
  const int64_t last = spatial.in[axis] - 1 - (spatial.kernel[axis] - 1) * spatial.dilation[axis] + before;
  const int64_t end = std::min(last < 0 ? 0 : last / stride + 1, spatial.out[axis]);
  return {std::min(divide_up(before, stride), end), end};
}

}  // namespace nnrt::cpu
