// Copy regions (core/schema/data_movement/copy_regions.h) as commands: the device's own copies where rows are
// contiguous and few, and on GPUs long, else the shader copy.comp.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"
#include "core/schema/data_movement/copy_regions.h"

namespace nnrt::vulkan {

// Appends to the sink what copies the region of elements of 1, 2, 4 or 8 bytes.
Status add_copy_region(const LoweringContext& context, const CopyRegion& region, size_t element_bytes,
                       Buffer from, Buffer to);

// Returns whether the output is the input, element for element, in the same order.
bool is_whole(const NodeView& node, const CopyProgram& program);

// The names of what moves few rows, and of what moves elements of less than a word one by one.
std::vector<std::string_view> copy_kernels();

}  // namespace nnrt::vulkan
