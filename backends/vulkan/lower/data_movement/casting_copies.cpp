#include "backends/vulkan/lower/data_movement/casting_copies.h"

#include "backends/vulkan/lower/common/cast_command.h"
#include "backends/vulkan/lower/data_movement/copy_commands.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// Must match cast_copy.comp.
enum Unit : uint32_t { kPairs, kWords, kVectors };
constexpr size_t kMaxRegionDims = 8;
struct CastCopyPush {
  uint32_t work = 0;
  int32_t from_offset = 0, to_offset = 0;
  std::array<int32_t, kMaxRegionDims> dims{}, from{}, to{};
  int32_t step = 0, row_step = 0;
};

// Returns whether the region's rows are multiples of `elements` and aligned to them in the output.
bool writes_units(const CopyRegion& region, int64_t elements) {
  const auto is_whole = [&](int64_t n) { return n % elements == 0; };
  return region.to_strides.back() == 1 && is_whole(region.shape.back()) && is_whole(region.to_offset) &&
         std::all_of(region.to_strides.begin(), region.to_strides.end() - 1, is_whole);
}

CopyRegion in_units(CopyRegion region, int64_t elements) {
  region.shape.back() /= elements;
  region.from_strides.back() *= elements;
  region.to_offset /= elements;
  for (size_t d = 0; d + 1 < region.to_strides.size(); ++d) region.to_strides[d] /= elements;
  return region;
}

// The two-value words of the output that the region touches.
uint32_t touched_words(const CopyRegion& region) {
  int64_t last = region.to_offset;
  for (size_t d = 0; d < region.shape.size(); ++d) last += (region.shape[d] - 1) * region.to_strides[d];
  return uint32_t(last / 2 - region.to_offset / 2 + 1);
}

Status add_dispatch(const LoweringContext& context, const CopyRegion& region, Unit unit, int64_t step,
                    const CastOperand& from, const CastOperand& to) {
  NNRT_TRY(count_of(region.shape));
  CastCopyPush push{.from_offset = int32_t(region.from_offset), .to_offset = int32_t(region.to_offset)};
  const Walk walk = walk_of(region.shape, context.plan);
  push.work = unit == kPairs ? touched_words(region) : walk.count;
  push.row_step = int32_t(walk.step);
  push.step = int32_t(step);
  std::ranges::copy(region.shape, push.dims.begin());
  std::ranges::copy(region.from_strides, push.from.begin());
  std::ranges::copy(region.to_strides, push.to.begin());
  context.sink.add(
      Dispatch{.shader = "cast_copy",
               .constants = {to.dtype == DType::f16 ? 1u : 0u, uint32_t(region.shape.size()), unit},
               .push = Push(push),
               .buffers = {from.buffer, to.buffer},
               .threads = threads_for(push.work, context.plan),
               .local = {kGroup, 1, 1}});
  return {};
}

}  // namespace

Status add_cast_copy(const LoweringContext& context, const CopyRegion& region, const CastOperand& from,
                     const CastOperand& to) {
  if (region.shape.size() > kMaxRegionDims) {
    const Buffer cast = context.sink.scratch(size_t(from.elements) * size_of(to.dtype));
    add_cast(context, from.buffer, from.dtype, cast, to.dtype, from.elements);
    return add_copy_region(context, region, size_of(to.dtype), cast, to.buffer);
  }
  const auto lanes = int64_t(4 / size_of(to.dtype));
  const int64_t step = region.from_strides.back();
  for (const auto& [unit, elements] : {std::pair{kVectors, 4 * lanes}, std::pair{kWords, lanes}}) {
    if (writes_units(region, elements))
      return add_dispatch(context, in_units(region, elements), unit, step, from, to);
  }
  // Each float is a word, so it needs no alignment.
  return add_dispatch(context, region, lanes == 1 ? kWords : kPairs, step, from, to);
}

}  // namespace nnrt::vulkan
