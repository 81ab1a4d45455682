// Lowers copy regions (core/schema/data_movement/copy_regions.h): to the device's copy commands if rows are
// contiguous and few (on GPUs also long), else to copy.comp.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"
#include "core/schema/data_movement/copy_regions.h"

namespace nnrt::vulkan {

// Copies the region; elements have 1, 2, 4 or 8 bytes.
Status add_copy_region(const LoweringContext& context, const CopyRegion& region, size_t element_bytes,
                       Buffer from, Buffer to);

// Copies a tensor as a whole, or lets the result share its memory.
void add_whole_copy(const LoweringContext& context, Buffer from, Buffer to, size_t bytes);

// Returns whether the output is the input with all elements in the same order.
bool is_whole(const NodeView& node, const CopyProgram& program);

// Kernel names for copies of few rows and for elements smaller than a word.
std::vector<std::string_view> copy_kernels();

}  // namespace nnrt::vulkan
