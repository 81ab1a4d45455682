// Composes consecutive data movement: copies directly from the first source, with one copy per region of the
// last node.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/data_movement/fused_copies.h"

namespace nnrt::vulkan {

// For each output of a node, the regions it is copied from.
using ComposedCopies = std::vector<std::vector<CopiedRegion>>;

// One output's copies: the node's own, those that produced its inputs, and the compositions of both.
struct Composition {
  std::vector<CopyRegion> own, behind;
  const std::vector<CopiedRegion>& together;
};

// Returns whether the composed copies are no more dispatches than the separate ones, and none moves fewer
// bytes at a time than the copies it replaces.
bool composes_well(const Composition& composition, size_t element_bytes);

Status add_composed_copies(const LoweringContext& context, const ComposedCopies& copies);

}  // namespace nnrt::vulkan
