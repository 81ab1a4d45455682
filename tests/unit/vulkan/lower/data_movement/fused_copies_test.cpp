#include "backends/vulkan/lower/data_movement/fused_copies.h"

#include "backends/vulkan/lower/data_movement/interleave_copy.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace nnrt::vulkan {
namespace {

using Values = std::vector<int>;

// Copies a region element by element.
void copy(const CopyRegion& region, const Values& from, Values& to) {
  for (int64_t i = 0, count = product(region.shape, 0, region.shape.size()); i < count; ++i) {
    int64_t source = region.from_offset, place = region.to_offset, rest = i;
    for (size_t d = region.shape.size(); d-- > 0; rest /= region.shape[d]) {
      source += rest % region.shape[d] * region.from_strides[d];
      place += rest % region.shape[d] * region.to_strides[d];
    }
    to.at(size_t(place)) = from.at(size_t(source));
  }
}

Values numbered(size_t count, int first) {
  Values values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Tensors 0 and 1, of 7 pixels with `channels` each, concatenated.
class SideBySide {
 public:
  explicit SideBySide(int64_t channels)
      : parts{{0, {0, 0, {7, channels}, 0, 0, {channels, 1}, {2 * channels, 1}}},
              {1, {0, 0, {7, channels}, 0, channels, {channels, 1}, {2 * channels, 1}}}},
        sources{{0, numbered(size_t(7 * channels), 1)}, {1, numbered(size_t(7 * channels), 1001)}},
        concatenated(size_t(14 * channels)) {
    for (const CopiedRegion& part : parts) copy(part.region, sources[part.source], concatenated);
  }

  // Checks that the fused copy gives the same result; returns whether the region could be fused.
  bool same(const CopyRegion& region) {
    Values expected(concatenated.size(), -1);
    copy(region, concatenated, expected);
    const auto composed = through(region, parts);
    if (!composed) return false;
    Values got(concatenated.size(), -1);
    for (const CopiedRegion& part : *composed) copy(part.region, sources[part.source], got);
    EXPECT_EQ(got, expected);
    return true;
  }

  std::vector<CopiedRegion> parts;
  std::map<TensorId, Values> sources;
  Values concatenated;
};

CopyRegion shuffle(int64_t channels) {
  return {0, 0, {7, channels, 2}, 0, 0, {2 * channels, 1, channels}, {2 * channels, 2, 1}};
}
CopyRegion half(int64_t channels, int64_t first) {
  return {0, 0, {7, channels}, first, 0, {2 * channels, 1}, {channels, 1}};
}

TEST(Composed, ReadsConcatenatedPartsInPlace) {
  for (const int64_t channels : {1, 4, 6}) {
    SideBySide concatenated(channels);
    EXPECT_TRUE(concatenated.same(shuffle(channels)));
    EXPECT_TRUE(concatenated.same(half(channels, 0)));
    EXPECT_TRUE(concatenated.same(half(channels, channels)));
    EXPECT_TRUE(concatenated.same({0, 0, {14 * channels}, 0, 0, {1}, {1}}));
  }
}

TEST(Composed, TakesPartsOfParts) {
  SideBySide concatenated(6);
  EXPECT_TRUE(concatenated.same({0, 0, {7, 4}, 4, 0, {12, 1}, {4, 1}}));  // spans the border
  EXPECT_TRUE(
      // only the first tensor, from its third row
      concatenated.same({0, 0, {3, 2}, 26, 0, {12, 1}, {2, 1}}));
  EXPECT_TRUE(concatenated.same({0, 0, {7, 6}, 0, 0, {12, 2}, {6, 1}}));   // every second element
  EXPECT_TRUE(concatenated.same({0, 0, {12, 7}, 0, 0, {1, 12}, {7, 1}}));  // transposed
  EXPECT_TRUE(concatenated.same({0, 0, {7}, 5, 0, {12}, {1}}));
}

TEST(Composed, RejectsManyRegions) {
  SideBySide concatenated(6);
  EXPECT_FALSE(concatenated.same({0, 0, {7}, 6, 0, {-1}, {1}}));
  EXPECT_FALSE(concatenated.same({0, 0, {3, 2}, 0, 0, {0, 1}, {2, 1}}));
  EXPECT_FALSE(concatenated.same({0, 0, {10}, 5, 0, {1}, {1}}));  // starts mid-row and wraps to the next
  EXPECT_FALSE(concatenated.same({0, 0, {16}, 0, 0, {5}, {1}}));
}

TEST(Composed, RejectsUncoveredRegions) {
  SideBySide concatenated(6);
  concatenated.parts.pop_back();
  EXPECT_FALSE(through({0, 0, {7, 12}, 0, 0, {12, 1}, {12, 1}}, concatenated.parts));
  EXPECT_TRUE(through({0, 0, {7, 6}, 0, 0, {12, 1}, {6, 1}}, concatenated.parts));
}

// One half of a channel shuffle.
std::vector<CopiedRegion> shuffled_part(int64_t channels, bool right) {
  const SideBySide concatenated(channels);
  const auto shuffled = through(shuffle(channels), concatenated.parts);
  EXPECT_TRUE(shuffled);
  const auto parts = through(half(channels, right ? channels : 0), *shuffled);
  EXPECT_TRUE(parts);
  return *parts;
}

TEST(Composed, PartsOfAShuffleAreInterleaved) {
  const auto interleaved = interleaved_copy_of(shuffled_part(6, true), 7 * 6);
  ASSERT_TRUE(interleaved);
  EXPECT_EQ(interleaved->rows, 7);
  EXPECT_EQ(interleaved->pairs, 3);
  EXPECT_EQ(interleaved->first.tensor, 0u);
  EXPECT_EQ(interleaved->second.tensor, 1u);
  EXPECT_EQ(interleaved->first.offset, 3);
  EXPECT_EQ(interleaved->second.row, 6);
}

TEST(Composed, OtherPartsAreNotInterleaved) {
  const SideBySide concatenated(6);
  EXPECT_FALSE(interleaved_copy_of(concatenated.parts, 7 * 12));
  EXPECT_FALSE(interleaved_copy_of({concatenated.parts[0]}, 7 * 6));
  EXPECT_FALSE(interleaved_copy_of(shuffled_part(6, false), 7 * 12));
}

}  // namespace
}  // namespace nnrt::vulkan
