// Transposes of elements of 1 to 4 bytes through tiles in shared memory.
#pragma once

#include "backends/vulkan/lower/common/kernel_list.h"
#include "core/schema/data_movement/copy_regions.h"

namespace nnrt::vulkan {

// A copy of a region between two buffers.
struct ElementCopy {
  const CopyRegion& region;
  size_t element_bytes = 0;
  Buffer from, to;
};

WhyNot why_not_transpose_tile(const LoweringContext& context, const ElementCopy& copy);
Status add_transpose_tile(const LoweringContext& context, const ElementCopy& copy);

}  // namespace nnrt::vulkan
