#include "backends/vulkan/lower/region.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr int64_t kMostPieces = 32;  // of one copy command; beyond, a shader is faster on all devices
constexpr size_t kMostRegionDims = 9;

struct RegionPush {
  uint32_t words = 0, rank = 0;
  int32_t from_offset = 0, to_offset = 0;
  std::array<int32_t, kMostRegionDims> dims{}, from{}, to{};
};

bool has_contiguous_rows(const CopyRegion& region) {
  return region.from_strides.back() == 1 && region.to_strides.back() == 1;
}

// One piece for each row.
Copy pieces_of(const CopyRegion& region, size_t element_bytes, Buffer from, Buffer to) {
  Copy copy{from, to, {}};
  const size_t outer = region.shape.size() - 1;
  const int64_t rows = product(region.shape, 0, outer);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t from_place = region.from_offset, to_place = region.to_offset, rest = row;
    for (size_t d = outer; d-- > 0; rest /= region.shape[d]) {
      from_place += rest % region.shape[d] * region.from_strides[d];
      to_place += rest % region.shape[d] * region.to_strides[d];
    }
    copy.pieces.push_back({size_t(from_place) * element_bytes, size_t(to_place) * element_bytes,
                           size_t(region.shape[outer]) * element_bytes});
  }
  return copy;
}

// Elements of 8 bytes are two of 4, along one more dimension.
CopyRegion in_words(CopyRegion region) {
  region.from_offset *= 2;
  region.to_offset *= 2;
  for (int64_t& stride : region.from_strides) stride *= 2;
  for (int64_t& stride : region.to_strides) stride *= 2;
  region.shape.push_back(2);
  region.from_strides.push_back(1);
  region.to_strides.push_back(1);
  Collapsed merged = collapse(region.shape, std::array{region.from_strides, region.to_strides});
  region.shape = std::move(merged.shape);
  region.from_strides = std::move(merged.strides[0]);
  region.to_strides = std::move(merged.strides[1]);
  return region;
}

// Elements if they are words, else the output words that the region touches.
Result<uint32_t> work_of(const CopyRegion& region, size_t element_bytes) {
  if (element_bytes == 4) return count_of(region.shape);
  int64_t last = region.to_offset;
  for (size_t d = 0; d < region.shape.size(); ++d) last += (region.shape[d] - 1) * region.to_strides[d];
  const int64_t lanes = int64_t(4 / element_bytes);
  return uint32_t(last / lanes - region.to_offset / lanes + 1);
}

Status add_dispatches(const LoweringContext& context, const CopyRegion& region, size_t element_bytes,
                      Buffer from, Buffer to) {
  if (region.shape.size() > kMostRegionDims) {
    CopyRegion slice = region;
    slice.shape.erase(slice.shape.begin());
    slice.from_strides.erase(slice.from_strides.begin());
    slice.to_strides.erase(slice.to_strides.begin());
    for (int64_t i = 0; i < region.shape[0]; ++i) {
      NNRT_TRY(add_dispatches(context, slice, element_bytes, from, to));
      slice.from_offset += region.from_strides[0];
      slice.to_offset += region.to_strides[0];
    }
    return {};
  }
  RegionPush push{.rank = uint32_t(region.shape.size()),
                  .from_offset = int32_t(region.from_offset),
                  .to_offset = int32_t(region.to_offset)};
  NNRT_ASSIGN(push.words, work_of(region, element_bytes));
  std::ranges::copy(region.shape, push.dims.begin());
  std::ranges::copy(region.from_strides, push.from.begin());
  std::ranges::copy(region.to_strides, push.to.begin());
  context.sink.add(Dispatch{.shader = "copy",
                            .constants = {uint32_t(element_bytes)},
                            .push = Push(push),
                            .buffers = {from, to},
                            .threads = threads_for(push.words, context.plan),
                            .local = {kGroup, 1, 1}});
  return {};
}

}  // namespace

Status add_region(const LoweringContext& context, const CopyRegion& region, size_t element_bytes, Buffer from,
                  Buffer to) {
  if (has_contiguous_rows(region) && product(region.shape, 0, region.shape.size() - 1) <= kMostPieces) {
    context.sink.add(pieces_of(region, element_bytes, from, to));
    return {};
  }
  if (element_bytes == 8) return add_dispatches(context, in_words(region), 4, from, to);
  return add_dispatches(context, region, element_bytes, from, to);
}

}  // namespace nnrt::vulkan
