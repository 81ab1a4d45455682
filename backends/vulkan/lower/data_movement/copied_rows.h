// Copies that leave the rows of matrices whole: where these lie at the other end.
#pragma once

#include "core/schema/data_movement/copy_regions.h"

#include <array>
#include <optional>

namespace nnrt::vulkan {

// Rows of a tensor [batch, heads, rows, size] whose elements lie side by side: where the first one begins,
// and the distances between batches, heads and rows, in elements. Where there is one of these, it is 0.
struct CopiedRows {
  int64_t offset = 0;
  std::array<int64_t, 3> strides{};
};

// The rows of a tensor of that shape, all of which the region copies, in the tensor that it copies them from,
// and in the one that it copies them to. Nothing where some are taken apart.
std::optional<CopiedRows> rows_copied_from(const CopyRegion& region, const Shape& shape);
std::optional<CopiedRows> rows_copied_to(const CopyRegion& region, const Shape& shape);

}  // namespace nnrt::vulkan
