// Movement behind movement, copied from where the first of them took it, in one copy for each that the last
// needs by itself.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/data_movement/fused_copies.h"

namespace nnrt::vulkan {

// The regions that each output of a node is copied from.
using ComposedCopies = std::vector<std::vector<CopiedRegion>>;

// One output's copies: those that a node by itself makes from its inputs, those that make these inputs, and
// those that both are together.
struct Composition {
  std::vector<CopyRegion> own, behind;
  const std::vector<CopiedRegion>& together;
};

// Returns whether copying it together takes no more dispatches, none of which moves fewer bytes at a time
// than one of those before.
bool composes_well(const Composition& composition, size_t element_bytes);

Status add_composed_copies(const LoweringContext& context, const ComposedCopies& copies);

}  // namespace nnrt::vulkan
