#include "backends/vulkan/lower/data_movement/copied_rows.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

const Shape kShape{2, 3, 5, 8};

// Adjacent heads in rows, or part of them, transposed to `kShape`.
CopyRegion heads_of_rows(int64_t row, int64_t offset) {
  return {.shape = {2, 3, 5, 8},
          .from_offset = offset,
          .from_strides = {5 * row, 8, row, 1},
          .to_strides = {120, 40, 8, 1}};
}

void expect(const std::optional<CopiedRows>& rows, int64_t offset, const std::array<int64_t, 3>& strides) {
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->offset, offset);
  EXPECT_EQ(rows->strides, strides);
}

TEST(CopiedRows, FindTheirSource) {
  expect(rows_copied_from(heads_of_rows(24, 0), kShape), 0, {120, 8, 24});
  expect(rows_copied_from(heads_of_rows(72, 48), kShape), 48, {360, 8, 72});
}

TEST(CopiedRows, FindTheirDestination) {
  CopyRegion region = heads_of_rows(24, 0);
  std::swap(region.from_strides, region.to_strides);
  expect(rows_copied_to(region, kShape), 0, {120, 8, 24});
  EXPECT_FALSE(rows_copied_to(region, {2, 5, 3, 8}));  // different batch and heads
}

// A region merges dimensions where possible.
TEST(CopiedRows, HandleMergedDimensions) {
  expect(rows_copied_from({.shape = {240}, .from_strides = {1}, .to_strides = {1}}, kShape), 0, {120, 40, 8});
  const CopyRegion parts{.shape = {30, 8}, .from_offset = 16, .from_strides = {24, 1}, .to_strides = {8, 1}};
  expect(rows_copied_from(parts, kShape), 16, {360, 120, 24});
  expect(rows_copied_from(parts, {1, 30, 1, 8}), 16, {0, 24, 0});
}

TEST(CopiedRows, HandleRepeatedRows) {
  const CopyRegion repeated{.shape = {2, 3, 40}, .from_strides = {40, 0, 1}, .to_strides = {120, 40, 1}};
  expect(rows_copied_from(repeated, kShape), 0, {40, 0, 8});
}

TEST(CopiedRows, RejectSplitRows) {
  const CopyRegion columns{.shape = {6, 5, 8}, .from_strides = {40, 1, 5}, .to_strides = {40, 8, 1}};
  EXPECT_FALSE(rows_copied_from(columns, kShape));
  const CopyRegion two_parts{.shape = {30, 2, 4}, .from_strides = {4, 120, 1}, .to_strides = {8, 4, 1}};
  EXPECT_FALSE(rows_copied_from(two_parts, kShape));
  const CopyRegion mirrored{
      .shape = {6, 5, 8}, .from_offset = 32, .from_strides = {40, -8, 1}, .to_strides = {40, 8, 1}};
  EXPECT_FALSE(rows_copied_from(mirrored, kShape));
}

TEST(CopiedRows, AreNoneOfAPart) {
  EXPECT_FALSE(rows_copied_from({.shape = {120}, .from_strides = {1}, .to_strides = {1}}, kShape));
  EXPECT_FALSE(rows_copied_from({.shape = {240}, .from_strides = {1}, .to_strides = {1}}, {6, 5, 8}));
}

}  // namespace
}  // namespace nnrt::vulkan
