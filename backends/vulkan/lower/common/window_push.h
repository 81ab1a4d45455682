// Helpers to lower kernels with up to three spatial dimensions.
#pragma once

#include "backends/vulkan/device/loop_limit.h"
#include "core/base/text.h"
#include "core/schema/spatial_axes.h"

#include <algorithm>
#include <limits>
#include <span>

namespace nnrt::vulkan {

using Size3u = std::array<uint32_t, 3>;  // depth, height, width

// One number per axis, for push constants.
template <typename T = uint32_t>
std::array<T, 3> each_axis(const Spatial3d& spatial, int64_t SpatialAxis::*number) {
  std::array<T, 3> all{};
  for (size_t i = 0; i < 3; ++i) all[i] = T(spatial.axes[i].*number);
  return all;
}

// Shaders index the padded input with 32-bit integers; larger ones are Code::unsupported.
inline Status check_axes(std::span<const SpatialAxis> axes) {
  constexpr int64_t kMaxReach = std::numeric_limits<int32_t>::max() / 2;
  for (const SpatialAxis& axis : axes) {
    const int64_t span = axis.out > 1 ? (std::max(axis.in, axis.out) - 1) * axis.stride : 0;
    const int64_t farthest = std::max({axis.reach(), axis.in + axis.before + axis.after, span});
    if (farthest > kMaxReach || axis.stride > kMaxReach || axis.dilation > kMaxReach)
      return unsupported("A kernel over ", farthest, " cells exceeds ", kMaxReach, ".");
  }
  return {};
}

// Loop iterations over a 3D window with `of_cell` per cell.
constexpr uint64_t window_iterations(const Size3u& kernel, uint64_t of_cell = 0) {
  return loop_of(kernel[0], loop_of(kernel[1], loop_of(kernel[2], of_cell)));
}

}  // namespace nnrt::vulkan
