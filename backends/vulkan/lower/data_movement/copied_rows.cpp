#include "backends/vulkan/lower/data_movement/copied_rows.h"

namespace nnrt::vulkan {
namespace {

constexpr size_t kRank = 4;

struct End {
  int64_t offset = 0;
  const Strides& strides;
};

// Returns the stride, at the other end, of `count` elements that are `step` apart at the dense end. They must
// run along one dimension of the region.
std::optional<int64_t> distance(const Shape& shape, const Strides& dense, const Strides& other, int64_t step,
                                int64_t count) {
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool has_step = dense[d] > 0 && dense[d] <= step && step < dense[d] * shape[d];
    if (!has_step) continue;
    if (step % dense[d] != 0 || step * count > dense[d] * shape[d] || other[d] < 0) return std::nullopt;
    return step / dense[d] * other[d];
  }
  return std::nullopt;
}

std::optional<CopiedRows> rows_of(const Shape& walked, const End& dense, const End& other,
                                  const Shape& shape) {
  if (shape.size() != kRank || dense.offset != 0 || other.offset < 0) return std::nullopt;
  const auto count = element_count(shape);
  if (!count || *count == 0 || product(walked, 0, walked.size()) != *count) return std::nullopt;
  CopiedRows rows{.offset = other.offset, .strides = {}};
  int64_t step = 1;
  for (size_t d = kRank; d-- > 0; step *= shape[d]) {
    if (shape[d] == 1) continue;
    const auto found = distance(walked, dense.strides, other.strides, step, shape[d]);
    const bool is_of_row = d + 1 == kRank;
    if (!found || (is_of_row && *found != 1)) return std::nullopt;
    if (!is_of_row) rows.strides[d] = *found;
  }
  return rows;
}

}  // namespace

std::optional<CopiedRows> rows_copied_from(const CopyRegion& region, const Shape& shape) {
  return rows_of(region.shape, {region.to_offset, region.to_strides},
                 {region.from_offset, region.from_strides}, shape);
}

std::optional<CopiedRows> rows_copied_to(const CopyRegion& region, const Shape& shape) {
  return rows_of(region.shape, {region.from_offset, region.from_strides},
                 {region.to_offset, region.to_strides}, shape);
}

}  // namespace nnrt::vulkan
