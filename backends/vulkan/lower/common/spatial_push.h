// Helpers to lower convolutions, pools and resizes.
#pragma once

#include "backends/vulkan/device/loop_limit.h"
#include "core/schema/geometry.h"

#include <array>

namespace nnrt::vulkan {

using Size2 = std::array<uint32_t, 2>;  // height, width
inline Size2 size2(const std::array<int64_t, 2>& size) { return {uint32_t(size[0]), uint32_t(size[1])}; }

// Spatial parameters in push constants.
struct SpatialPush {
  Size2 kernel{}, stride{}, dilation{};
  std::array<int32_t, 2> before{};
};
SpatialPush push_of(const SpatialParams& spatial);

// Loop iterations over a 2D window with `steps` per cell.
constexpr uint64_t spatial_iterations(const SpatialPush& spatial, uint64_t steps) {
  return loop_of(spatial.kernel[0], loop_of(spatial.kernel[1], loop_of(steps)));
}

// The `group` attribute, or 1 if the operator has none.
inline uint32_t groups_of(const NodeView& node) {
  return node.attrs().has(Attr::group) ? uint32_t(node.attrs().integer(Attr::group)) : 1;
}

// Shaders index the padded input with 32-bit integers; larger ones are Code::unsupported.
Status check_spatial(const SpatialParams& spatial);

}  // namespace nnrt::vulkan
