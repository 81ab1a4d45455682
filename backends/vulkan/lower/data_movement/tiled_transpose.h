// Regions of small elements that change the dimension along which neighbours lie, tile by tile.
#pragma once

#include "backends/vulkan/lower/common/kernel_list.h"
#include "core/schema/data_movement/copy_regions.h"

namespace nnrt::vulkan {

// Elements of a region on their way from one buffer to another.
struct ElementCopy {
  const CopyRegion& region;
  size_t element_bytes = 0;
  Buffer from, to;
};

WhyNot why_not_transpose_tile(const LoweringContext& context, const ElementCopy& copy);
Status add_transpose_tile(const LoweringContext& context, const ElementCopy& copy);

}  // namespace nnrt::vulkan
