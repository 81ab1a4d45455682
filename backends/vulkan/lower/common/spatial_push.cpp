#include "backends/vulkan/lower/common/spatial_push.h"

#include "core/base/text.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr int64_t kMaxReach = std::numeric_limits<int32_t>::max() / 2;

}  // namespace

uint32_t rows_of_chunk(uint64_t columns, uint32_t height, const DevicePlan& plan) {
  if (columns == 0 || height == 0) return 1;
  const uint32_t wanted = plan.is_software ? 512 : 65536;  // invocations
  constexpr uint32_t kMin = 4;
  const auto chunks = uint32_t(std::clamp<uint64_t>(wanted / columns, 1, (height + kMin - 1) / kMin));
  return (height + chunks - 1) / chunks;
}

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
