// Copies that keep matrix rows contiguous: locates the rows at the other end.
#pragma once

#include "core/schema/data_movement/copy_regions.h"

#include <array>
#include <optional>

namespace nnrt::vulkan {

// Rows of a tensor [batch, heads, rows, size] with contiguous elements: the offset of the first row, and the
// strides of batches, heads and rows, in elements. A stride is 0 if its dimension is 1.
struct CopiedRows {
  int64_t offset = 0;
  std::array<int64_t, 3> strides{};
};

// Locates the rows of a tensor of this shape, all of which the region copies, in the source (or destination)
// of the copy. nullopt if the copy splits rows.
std::optional<CopiedRows> rows_copied_from(const CopyRegion& region, const Shape& shape);
std::optional<CopiedRows> rows_copied_to(const CopyRegion& region, const Shape& shape);

}  // namespace nnrt::vulkan
