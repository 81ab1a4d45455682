#include "backends/vulkan/lower/data_movement/vector_copies.h"

#include "backends/vulkan/lower/common/tile_kinds.h"
#include "core/base/divide_up.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

bool divides(int64_t offset, const Strides& strides, int64_t lanes) {
  return strides.back() == 1 && offset % lanes == 0 &&
         std::all_of(strides.begin(), strides.end() - 1, [&](int64_t stride) { return stride % lanes == 0; });
}

void divide(int64_t& offset, Strides& strides, int64_t lanes) {
  offset /= lanes;
  for (size_t d = 0; d + 1 < strides.size(); ++d) strides[d] /= lanes;
}

// Turns rows of pairs (from a channel shuffle of two groups) into rows of elements; false if they are not
// such rows.
bool join_pairs(CopyRegion& region, VectorCopy& pairs) {
  const size_t last = region.shape.size() - 1;
  if (last == 0 || region.shape[last] != 2 || region.to_strides[last] != 1 ||
      region.to_strides[last - 1] != 2) {
    return false;
  }
  pairs = {VectorCopy::vector, region.from_strides[last], region.from_strides[last - 1]};
  region.shape.pop_back();
  region.from_strides.pop_back();
  region.to_strides.pop_back();
  region.shape.back() *= 2;
  region.to_strides.back() = 1;
  return true;
}

// `lanes` elements are contiguous in the output.
Gather gather_of(CopyRegion region, const VectorCopy& vectors, int64_t lanes) {
  region.shape.back() /= lanes;
  region.from_strides.back() = lanes / 2 * vectors.between_pairs;
  divide(region.to_offset, region.to_strides, lanes);
  return {std::move(region), vectors};
}

// Pairs that interleave two rows of whole vectors.
std::optional<Gather> interleave_of(CopyRegion region, const VectorCopy& pairs, int64_t lanes) {
  const bool alternates = pairs.between_pairs == 1 && pairs.within_pair % lanes == 0;
  region.from_strides.back() = 1;
  if (!alternates || !gathers(region, 2 * lanes) || !divides(region.from_offset, region.from_strides, lanes))
    return std::nullopt;
  region.shape.back() /= 2 * lanes;
  divide(region.to_offset, region.to_strides, 2 * lanes);
  divide(region.from_offset, region.from_strides, lanes);
  return Gather{std::move(region), {VectorCopy::interleaved, pairs.within_pair / lanes, 0}};
}

// Returns the contiguous dimension of the input, or the rank if there is none.
size_t consecutive_dimension(const CopyRegion& region) {
  return size_t(std::ranges::find(region.from_strides, 1) - region.from_strides.begin());
}

// Returns a dimension other than the last along which aligned units of `elements` are contiguous in the
// input.
std::optional<size_t> dimension_of_units(const CopyRegion& region, int64_t elements) {
  const size_t last = region.shape.size() - 1;
  const size_t along = consecutive_dimension(region);
  if (along >= last || region.shape[along] % elements != 0 || region.from_offset % elements != 0)
    return std::nullopt;
  for (size_t d = 0; d <= last; ++d)
    if (d != along && region.from_strides[d] % elements != 0) return std::nullopt;
  return along;
}

// 2-byte elements: reads words of two along one dimension, writes vectors of eight along another.
std::optional<Gather> transpose_of(CopyRegion region) {
  constexpr int64_t kPair = 2, kEight = 8;
  const size_t last = region.shape.size() - 1;
  const auto other = dimension_of_units(region, kPair);
  if (!other) return std::nullopt;
  const size_t along = *other;
  const VectorCopy words{VectorCopy::transposed, region.from_strides[last] / kPair,
                         region.to_strides[along] / kEight};
  region.shape[along] /= kPair;
  region.to_strides[along] *= kPair;
  region.from_strides[along] *= kPair;
  region.from_strides[last] *= kEight;
  region.shape[last] /= kEight;
  divide(region.to_offset, region.to_strides, kEight);
  region.from_offset /= kPair;
  for (int64_t& stride : region.from_strides) stride /= kPair;
  return Gather{std::move(region), words};
}

// Orders the work for cache locality: strips along the input's contiguous dimension come before the last
// dimension, and blocks of the latter come first. Block sizes were measured on lavapipe, and on SwiftShader,
// which does not read texels.
void walk_blocks(Gather& gather, size_t along, int64_t width, const DevicePlan& plan) {
  CopyRegion& region = gather.region;
  const size_t last = region.shape.size() - 1;
  const auto move_strips = [&](auto& of) {
    std::rotate(of.begin() + ptrdiff_t(along), of.begin() + ptrdiff_t(along) + 1,
                of.begin() + ptrdiff_t(last));
  };
  move_strips(region.shape);
  move_strips(region.from_strides);
  move_strips(region.to_strides);
  const int64_t max_block = (plan.subgroup_size < kSubgroup8 ? 64 : 512) / width;
  gather.last = region.shape[last];
  const int64_t blocks = divide_up(gather.last, max_block);
  const int64_t block = divide_up(gather.last, blocks);
  region.shape[last] = block;
  region.shape.insert(region.shape.begin(), blocks);
  region.from_strides.insert(region.from_strides.begin(), block * region.from_strides[last]);
  region.to_strides.insert(region.to_strides.begin(), block * region.to_strides[last]);
}

constexpr int64_t kFour = 4;
constexpr int64_t kStrip = 16;        // elements per cache line, moved by one invocation
constexpr size_t kMaxWalkedDims = 7;  // the blocks take one more

// 4-byte elements that are contiguous as vectors at both ends, along different dimensions.
std::optional<Gather> transpose_vectors_of(CopyRegion region, const DevicePlan& plan) {
  const size_t last = region.shape.size() - 1;
  const auto other = dimension_of_units(region, kFour);
  if (!other) return std::nullopt;
  const size_t along = *other;
  const bool has_lines = region.shape[along] % kStrip == 0 && region.shape.size() <= kMaxWalkedDims;
  const int64_t vectors_of_walk = has_lines ? kStrip / kFour : 1;
  const VectorCopy vectors{has_lines ? VectorCopy::transposed_lines : VectorCopy::transposed_vectors,
                           region.from_strides[last] / kFour, region.to_strides[along] / kFour};
  region.from_strides[along] = kFour * vectors_of_walk;
  region.shape[along] /= kFour * vectors_of_walk;
  region.to_strides[along] *= kFour * vectors_of_walk;
  region.shape[last] /= kFour;
  region.from_strides[last] *= kFour;
  divide(region.to_offset, region.to_strides, kFour);
  region.from_offset /= kFour;
  for (int64_t& stride : region.from_strides) stride /= kFour;
  Gather gather{std::move(region), vectors};
  if (has_lines) walk_blocks(gather, along, kFour, plan);
  return gather;
}

// 4-byte elements along different dimensions, without alignment. An invocation reads a strip as vectors and
// writes single words, next to those of its neighbours.
std::optional<Gather> scatter_of(const CopyRegion& region, const DevicePlan& plan) {
  constexpr int64_t kMinSide = 32;  // with less, most neighbours write to different cache lines
  const size_t last = region.shape.size() - 1;
  const size_t along = consecutive_dimension(region);
  if (along >= last || region.to_strides[last] != 1 || region.shape.size() > kMaxWalkedDims)
    return std::nullopt;
  if (region.shape[along] < kMinSide || region.shape[last] < kMinSide) return std::nullopt;
  Gather gather{region, {VectorCopy::scattered_words, 1, region.to_strides[along]}};
  const int64_t strips = region.shape[along] / kStrip;
  if (const int64_t left = region.shape[along] % kStrip; left > 0) {
    CopyRegion& rest = gather.rest.emplace(region);
    rest.shape[along] = left;
    rest.from_offset += strips * kStrip;
    rest.to_offset += strips * kStrip * region.to_strides[along];
  }
  gather.region.shape[along] = strips;
  gather.region.from_strides[along] = kStrip;
  gather.region.to_strides[along] *= kStrip;
  walk_blocks(gather, along, 1, plan);
  return gather;
}

// 4-byte elements on software drivers.
std::optional<Gather> transpose_elements_of(const CopyRegion& region, const DevicePlan& plan) {
  auto transposed = gathers(region, kFour) ? transpose_vectors_of(region, plan) : std::nullopt;
  return transposed ? transposed : scatter_of(region, plan);
}

}  // namespace

bool gathers(const CopyRegion& region, int64_t lanes) {
  return region.shape.back() % lanes == 0 && divides(region.to_offset, region.to_strides, lanes);
}
bool divides(const CopyRegion& region, int64_t lanes) {
  return gathers(region, lanes) && divides(region.from_offset, region.from_strides, lanes);
}

CopyRegion in_wider_elements(CopyRegion region, int64_t lanes) {
  region.shape.back() /= lanes;
  divide(region.from_offset, region.from_strides, lanes);
  divide(region.to_offset, region.to_strides, lanes);
  return region;
}

std::optional<Gather> find_gather(const CopyRegion& region, size_t element_bytes, const DevicePlan& plan) {
  const auto lanes = int64_t(16 / element_bytes), word_lanes = int64_t(4 / element_bytes);
  const int64_t step = region.from_strides.back();
  if (element_bytes == 4 && plan.is_software) {
    if (auto transposed = transpose_elements_of(region, plan)) return transposed;
  }
  if (gathers(region, lanes)) {
    const auto transposed = element_bytes == 2 ? transpose_of(region) : std::nullopt;
    return transposed ? *transposed : gather_of(region, {VectorCopy::vector, step, 2 * step}, lanes);
  }
  CopyRegion merged = region;
  VectorCopy pairs;
  const bool has_pairs = join_pairs(merged, pairs);
  if (has_pairs && gathers(merged, lanes)) {
    const auto interleaved = element_bytes >= 2 ? interleave_of(merged, pairs, lanes) : std::nullopt;
    return interleaved ? *interleaved : gather_of(merged, pairs, lanes);
  }
  if (word_lanes == 1) return std::nullopt;
  if (gathers(region, word_lanes)) return gather_of(region, {VectorCopy::word, step, 2 * step}, word_lanes);
  pairs.number = VectorCopy::word;
  return has_pairs && gathers(merged, word_lanes) ? std::optional(gather_of(merged, pairs, word_lanes))
                                                  : std::nullopt;
}

}  // namespace nnrt::vulkan
