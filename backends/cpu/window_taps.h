// Which cells of a window lie inside the input.
#pragma once

#include "core/geometry.h"

#include <algorithm>

namespace nnrt::cpu {

struct TapRange {
  int64_t begin = 0, end = 0;
  int64_t count() const { return end - begin; }
};

// The input cell under the first tap of the window at output cell `out`; it may lie outside.
inline int64_t window_start(const Window& window, size_t axis, int64_t out) {
  return out * window.stride[axis] - window.before[axis];
}

// The taps of the window at output cell `out` that fall on cells of the input.
inline TapRange taps_inside(const Window& window, size_t axis, int64_t out) {
  const int64_t start = window_start(window, axis, out);
  const int64_t step = window.dilation[axis];
  const int64_t begin = start < 0 ? (-start + step - 1) / step : 0;
  const int64_t end = start < window.in[axis] ? (window.in[axis] - start + step - 1) / step : 0;
  return {begin, std::max(begin, std::min(end, window.kernel[axis]))};
}

}  // namespace nnrt::cpu
