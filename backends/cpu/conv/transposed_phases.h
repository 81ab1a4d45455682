// Sub-pixel decomposition of a transposed convolution: output cells that are `stride` apart read the same
// taps of the kernel, so each of these phases is an ordinary convolution with stride 1.
#pragma once

#include "core/schema/geometry.h"

#include <algorithm>
#include <numeric>

namespace nnrt::cpu {

// One axis of the kernel, its taps sorted by class: taps `step` apart are read together. Depends on the
// kernel, stride and dilation only, so it can order prepacked weights.
struct TapClasses {
  int64_t kernel, step;

  TapClasses(const SpatialParams& spatial, size_t axis)
      : kernel(spatial.kernel[axis]),
        step(spatial.stride[axis] / std::gcd(spatial.stride[axis], spatial.dilation[axis])) {}

  int64_t count() const { return std::min(step, kernel); }
  int64_t size(int64_t tap_class) const { return (kernel - tap_class + step - 1) / step; }
  int64_t begin(int64_t tap_class) const {
    return tap_class * (kernel / step) + std::min(tap_class, kernel % step);
  }
};

// One axis of a phase: output cells first + i * stride, where cell i reads input cell i + offset - t *
// offset_step through tap t of the class.
struct AxisPhase {
  int64_t first = 0, count = 0;
  int64_t tap_class = 0, taps = 0;  // no taps: only the bias remains
  int64_t offset = 0, offset_step = 0;

  int64_t source(int64_t cell, int64_t tap) const { return cell + offset - tap * offset_step; }
};

inline int64_t phase_count(const SpatialParams& spatial, size_t axis) {
  return std::min(spatial.stride[axis], spatial.out[axis]);
}

inline AxisPhase axis_phase(const SpatialParams& spatial, size_t axis, int64_t first) {
  const int64_t stride = spatial.stride[axis], dilation = spatial.dilation[axis];
  const TapClasses classes(spatial, axis);
  AxisPhase phase{.first = first, .count = (spatial.out[axis] - first + stride - 1) / stride};
  const int64_t reach = first + spatial.before[axis];
  for (int64_t tap = 0; tap < classes.count(); ++tap) {
    if ((reach - tap * dilation) % stride != 0) continue;
    phase.tap_class = tap;
    phase.taps = classes.size(tap);
    phase.offset = (reach - tap * dilation) / stride;
    phase.offset_step = classes.step * dilation / stride;
    break;
  }
  return phase;
}

}  // namespace nnrt::cpu
