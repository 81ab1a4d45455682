// Fuses consecutive data movement: a copy that reads the result of other copies reads their sources instead.
#pragma once

#include "core/graph/graph.h"
#include "core/schema/data_movement/copy_regions.h"

#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// A region that is copied from the tensor `source`.
struct CopiedRegion {
  TensorId source = 0;
  CopyRegion region;  // its `input` and `output` are unused
};

// Rewrites `region`, which reads a tensor assembled from `parts`, to copy from the sources of the parts.
// nullopt if that takes more than a few regions, or if the parts do not cover it.
std::optional<std::vector<CopiedRegion>> through(const CopyRegion& region,
                                                 std::span<const CopiedRegion> parts);

}  // namespace nnrt::vulkan
