#include "core/schema/boxes/box.h"

#include "core/base/fp16.h"
#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

#include <array>

namespace nnrt {
namespace {

using namespace testing_support;

std::vector<float> corners_of(const CornerBox& box) { return {box.x1, box.y1, box.x2, box.y2}; }

TEST(Box, OverlapIsTheIntersectionByTheUnion) {
  const CornerBox box{0, 0, 4, 2};
  EXPECT_FLOAT_EQ(overlap(box, box), 1);
  EXPECT_FLOAT_EQ(overlap(box, {2, 0, 6, 2}), 4.0f / 12);
  EXPECT_FLOAT_EQ(overlap(box, {4, 0, 6, 2}), 0);  // edges have no area
  EXPECT_FLOAT_EQ(overlap(box, {9, 9, 10, 10}), 0);
  EXPECT_FLOAT_EQ(overlap({1, 1, 1, 1}, {1, 1, 1, 1}), 0);
}

TEST(Box, AppliesDeltasAndClips) {
  const std::array<float, 4> still{}, right{0.5f, 0, 0, 0}, far{0, -9, 0, 0};
  const CornerBox box{2, 4, 6, 6};
  EXPECT_EQ(corners_of(transformed(box, still, {20, 10})), (std::vector<float>{2, 4, 6, 6}));
  EXPECT_EQ(corners_of(transformed(box, right, {20, 7})), (std::vector<float>{4, 4, 7, 6}));
  EXPECT_EQ(transformed(box, far, {20, 10}).area(), 0);
}

TEST(Box, UpsideDownIsAnError) {
  EXPECT_TRUE(check_box({1, 2, 1, 2}, 0).ok());
  EXPECT_EQ(check_box({1, 2, 0, 3}, 5).error().message, "Box 5 (1, 2, 0, 3) is inverted.");
  EXPECT_FALSE(check_box({1, 2, 3, 0}, 0).ok());
}

TEST(Box, FloatsAreReadOfEachDtype) {
  const OneNode half{Op::heatmap_max_keypoint,
                     {constant(DType::f16, {1, 1, 1, 2}, std::vector{to_half(1.5f), to_half(-2.0f)}),
                      tensor(DType::f16, {1, 4})},
                     {},
                     {tensor(DType::f16, {1, 2}), tensor(DType::f16, {1, 2, 2})}};
  EXPECT_EQ(
      half.with_view([](const NodeView& view) -> Result<std::vector<float>> { return floats_of(view, 0); })
          .value(),
      (std::vector<float>{1.5f, -2}));
}

}  // namespace
}  // namespace nnrt
