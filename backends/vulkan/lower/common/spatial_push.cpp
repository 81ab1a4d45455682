#include "backends/vulkan/lower/common/spatial_push.h"

#include "core/base/text.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr int64_t kMaxReach = std::numeric_limits<int32_t>::max() / 2;

}  // namespace

SpatialPush push_of(const SpatialParams& spatial) {
  SpatialPush push;
  for (size_t axis = 0; axis < 2; ++axis) {
    push.kernel[axis] = uint32_t(spatial.kernel[axis]);
    push.stride[axis] = uint32_t(spatial.stride[axis]);
    push.dilation[axis] = uint32_t(spatial.dilation[axis]);
    push.before[axis] = int32_t(spatial.before[axis]);
  }
  return push;
}

Status check_spatial(const SpatialParams& spatial) {
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t reach = (spatial.kernel[axis] - 1) * spatial.dilation[axis] + 1;
    const int64_t span = (std::max(spatial.in[axis], spatial.out[axis]) - 1) * spatial.stride[axis];
    const int64_t padded = spatial.in[axis] + spatial.before[axis] + spatial.after[axis];
    const int64_t farthest = std::max({reach, padded, spatial.out[axis] > 1 ? span : 0});
    if (farthest > kMaxReach) {
      return unsupported("A pooling window over ", farthest, " cells exceeds ", kMaxReach, ".");
    }
  }
  return {};
}

}  // namespace nnrt::vulkan
