// Movement behind movement as one: what an operator copies from a tensor that others would only have copied
// together is copied from where these would have taken it.
#pragma once

#include "core/graph/graph.h"
#include "core/schema/data_movement/copy_regions.h"

#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// A region of one tensor that is copied from another.
struct CopiedRegion {
  TensorId source = 0;
  CopyRegion region;  // its `input` and `output` say nothing
};

// Returns what `region`, which reads a tensor made of `parts`, copies from their sources; nothing if that is
// not a few regions, or if parts leave some of it out.
std::optional<std::vector<CopiedRegion>> through(const CopyRegion& region,
                                                 std::span<const CopiedRegion> parts);

}  // namespace nnrt::vulkan
