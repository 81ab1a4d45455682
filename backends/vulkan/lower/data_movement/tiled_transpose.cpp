#include "backends/vulkan/lower/data_movement/tiled_transpose.h"

#include "backends/vulkan/lower/common/lowering_common.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

// Must match transpose_tile.comp.
constexpr size_t kRank = 4;
constexpr uint32_t kSide = 64;

// Invocations. With 2-byte elements, each moves two squares of words of a tile.
constexpr uint32_t kMaxGroup = 512;
constexpr int64_t kMinSide = 32;  // shorter sides leave most of a tile empty

struct TransposePush {
  uint32_t groups = 0;
  int32_t from_offset = 0, to_offset = 0;
  std::array<int32_t, kRank> dims{}, from{}, to{};
  int32_t along = 0;
};

// The contiguous dimension of the input, or the rank if there is none.
size_t along_of(const CopyRegion& region) {
  return size_t(std::ranges::find(region.from_strides, 1) - region.from_strides.begin());
}

bool divides(int64_t offset, const Strides& strides, size_t contiguous, int64_t lanes) {
  for (size_t d = 0; d < strides.size(); ++d)
    if (d != contiguous && strides[d] % lanes != 0) return false;
  return offset % lanes == 0;
}

bool reads_words(const CopyRegion& region, int64_t lanes) {
  return divides(region.from_offset, region.from_strides, along_of(region), lanes);
}

bool writes_words(const CopyRegion& region, int64_t lanes) {
  return region.shape.back() % lanes == 0 &&
         divides(region.to_offset, region.to_strides, region.shape.size() - 1, lanes);
}

// Returns whether the region is contiguous in the output.
bool is_dense(const CopyRegion& region) {
  int64_t count = 1;
  for (size_t d = region.shape.size(); d-- > 0; count *= region.shape[d])
    if (region.to_strides[d] != count) return false;
  return true;
}

}  // namespace

WhyNot why_not_transpose_tile(const LoweringContext& context, const ElementCopy& copy) {
  const CopyRegion& region = copy.region;
  if (copy.element_bytes > 2) return {"Its elements have {} bytes.", copy.element_bytes};
  const auto lanes = int64_t(4 / copy.element_bytes);
  const size_t last = region.shape.size() - 1, along = along_of(region);
  if (region.shape.size() > kRank) return {"It has {} dimensions.", region.shape.size()};
  if (along >= last || region.to_strides[last] != 1)
    return "Input and output are contiguous along the same dimension.";
  if (!writes_words(region, lanes) && !(is_dense(region) && region.to_offset % lanes == 0))
    return "Its rows are not aligned to words.";
  if (context.plan.is_software) return WhyNot::slower("Shared memory is slow on software drivers.");
  if (region.shape[last] < kMinSide || region.shape[along] < kMinSide)
    return WhyNot::slower("Its sides ({} and {}) are short.", region.shape[along], region.shape[last]);
  return {};
}

Status add_transpose_tile(const LoweringContext& context, const ElementCopy& copy) {
  const CopyRegion& region = copy.region;
  NNRT_TRY(count_of(region.shape));
  const auto lanes = int64_t(4 / copy.element_bytes);
  const size_t before = kRank - region.shape.size();  // leading dimensions of 1
  TransposePush push{.from_offset = int32_t(region.from_offset), .to_offset = int32_t(region.to_offset)};
  push.dims.fill(1);
  push.to.fill(std::numeric_limits<int32_t>::max());  // dividing by it always gives 0
  std::ranges::copy(region.shape, push.dims.begin() + ptrdiff_t(before));
  std::ranges::copy(region.from_strides, push.from.begin() + ptrdiff_t(before));
  std::ranges::copy(region.to_strides, push.to.begin() + ptrdiff_t(before));
  push.along = int32_t(before + along_of(region));
  push.groups = 1;
  for (size_t d = 0; d < kRank; ++d) {
    const auto length = uint32_t(push.dims[d]);
    push.groups *= d == kRank - 1 || int32_t(d) == push.along ? divide_up(length, kSide) : length;
  }
  const uint32_t group = std::min(kMaxGroup, context.plan.max_group_invocations);
  context.sink.add(Dispatch{.shader = "transpose_tile",
                            .constants = {uint32_t(copy.element_bytes), reads_words(region, lanes) ? 1u : 0u,
                                          writes_words(region, lanes) ? 1u : 0u},
                            .push = Push(push),
                            .buffers = {copy.from, copy.to},
                            .threads = {push.groups * group, 1, 1},
                            .local = {group, 1, 1}});
  return {};
}

}  // namespace nnrt::vulkan
