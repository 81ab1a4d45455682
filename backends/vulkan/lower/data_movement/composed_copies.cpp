#include "backends/vulkan/lower/data_movement/composed_copies.h"

#include "backends/vulkan/lower/data_movement/casting_copies.h"
#include "backends/vulkan/lower/data_movement/copy_commands.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr int64_t kVector = 16;       // bytes per invocation
constexpr size_t kMaxRegionDims = 8;  // limit of copy_commands.h
constexpr size_t kTileRank = 4;       // limit of the tiled transposes

// May be free: a contiguous part of a tensor can be aliased.
bool is_one_run(const CopyRegion& region) {
  return region.shape.size() == 1 && region.from_strides[0] == 1 && region.to_strides[0] == 1;
}

// The contiguous dimension, or the rank if there is none.
size_t along(const Strides& strides) { return size_t(std::ranges::find(strides, 1) - strides.begin()); }

// The largest power of two of elements that is contiguous and aligned everywhere in the region, at one end.
int64_t unit_at(const Shape& shape, int64_t offset, const Strides& strides, int64_t max_unit) {
  const size_t contiguous = along(strides);
  if (contiguous == strides.size()) return 1;
  const auto divides = [&](int64_t unit) {
    if (offset % unit != 0 || shape[contiguous] % unit != 0) return false;
    for (size_t d = 0; d < strides.size(); ++d)
      if (d != contiguous && strides[d] % unit != 0) return false;
    return true;
  };
  int64_t unit = max_unit;
  while (unit > 1 && !divides(unit)) unit /= 2;
  return unit;
}

// How a region moves.
struct CopyShape {
  bool transposes = false;
  int64_t read = 1, written = 1;    // elements per access
  int64_t read_side = 0, side = 0;  // lengths of the contiguous dimensions of source and result
  size_t rank = 0;

  int64_t unit() const { return transposes ? 1 : std::min(read, written); }
};

CopyShape way_of(const CopyRegion& region, size_t element_bytes) {
  const int64_t max_unit = kVector / int64_t(element_bytes);
  const size_t last = region.shape.size() - 1, from = along(region.from_strides);
  return {.transposes = from != last || region.to_strides[last] != 1,
          .read = unit_at(region.shape, region.from_offset, region.from_strides, max_unit),
          .written = unit_at(region.shape, region.to_offset, region.to_strides, max_unit),
          .read_side = from > last ? 0 : region.shape[from],
          .side = region.shape[last],
          .rank = region.shape.size()};
}

// Transpose kernels depend on the sides and their alignment, so these must not change.
bool is_no_worse_transpose(const CopyShape& way, const CopyShape& before) {
  return before.transposes && way.read_side == before.read_side && way.side == before.side &&
         way.read >= before.read && way.written >= before.written &&
         way.rank <= std::max(kTileRank, before.rank);
}

}  // namespace

bool composes_well(const Composition& composition, size_t element_bytes) {
  if (composition.together.size() > composition.own.size()) return false;
  if (std::ranges::any_of(composition.own, is_one_run) || std::ranges::all_of(composition.behind, is_one_run))
    return false;
  std::vector<CopyShape> before;
  for (const auto* regions : {&composition.own, &composition.behind})
    for (const CopyRegion& region : *regions) before.push_back(way_of(region, element_bytes));
  const int64_t unit = std::ranges::min(before, {}, &CopyShape::unit).unit();
  return std::ranges::all_of(composition.together, [&](const CopiedRegion& part) {
    const CopyShape way = way_of(part.region, element_bytes);
    if (way.rank > kMaxRegionDims) return false;
    if (!way.transposes) return way.unit() >= unit;
    return std::ranges::any_of(before,
                               [&](const CopyShape& other) { return is_no_worse_transpose(way, other); });
  });
}

// The sources have the node's dtype. If only a CAST reads the result, it is written as FLOAT32 directly.
Status add_composed_copies(const LoweringContext& context, const ComposedCopies& copies) {
  const DType dtype = context.node.dtype();
  for (size_t output = 0; output < copies.size(); ++output) {
    const bool is_one = copies[output].size() == 1;
    const View to = context.output_view(output, is_one ? View::floats | View::rounded : View::none);
    NNRT_ASSIGN(const uint32_t count, count_of(context.node.output_shape(output)));
    for (const auto& [source, region] : copies[output]) {
      const Buffer tensor{Buffer::Space::tensor, source};
      const View from = context.sink.view({.buffer = tensor, .stored = dtype}, View::none);
      if (from.buffer == to.buffer) continue;  // computed there
      NNRT_TRY(to.stored == dtype
                   ? add_copy_region(context, region, size_of(dtype), from.buffer, to.buffer)
                   : add_cast_copy(context, region, {from.buffer, dtype, count}, {to.buffer, to.stored}));
    }
  }
  return {};
}

}  // namespace nnrt::vulkan
