// Helpers for lowerings of convolutions, pools and resizes.
#pragma once

#include "backends/vulkan/device/loop_limit.h"
#include "core/schema/geometry.h"

#include <array>

namespace nnrt::vulkan {

using Size2 = std::array<uint32_t, 2>;  // height, width
inline Size2 size2(const std::array<int64_t, 2>& size) { return {uint32_t(size[0]), uint32_t(size[1])}; }

// Spatial parameters as push constants hold them.
struct SpatialPush {
  Size2 kernel{}, stride{}, dilation{};
  std::array<int32_t, 2> before{};
};
SpatialPush push_of(const SpatialParams& spatial);

// Loop iterations of a kernel that goes over a window, row by row, with so many steps at each cell.
constexpr uint64_t spatial_iterations(const SpatialPush& spatial, uint64_t steps) {
  return loop_of(spatial.kernel[0], loop_of(spatial.kernel[1], loop_of(steps)));
}

// The groups of a convolution, 1 if it has no such attribute.
inline uint32_t groups_of(const NodeView& node) {
  return node.attrs().has(Attr::group) ? uint32_t(node.attrs().integer(Attr::group)) : 1;
}

// Shaders index a padded input with 32-bit integers; beyond that is Code::unsupported.
Status check_spatial(const SpatialParams& spatial);

}  // namespace nnrt::vulkan
