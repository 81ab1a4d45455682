#include "core/schema/boxes/limited_boxes.h"
#include "core/schema/boxes/proposals.h"
#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nnrt {
namespace {

using namespace testing_support;

constexpr int kMode = 1095, kThreshold = 1096, kNmsScore = 1098, kEmptyRow = 1099, kMinSize = 1104;

// Two boxes with an overlap of one third; class 0 is the background.
OneNode limited(float first, float second, std::vector<Tensor> params) {
  return {Op::box_with_nms_limit,
          {constant<float>(DType::f32, {2, 2}, {9, first, 9, second}),
           constant<float>(DType::f32, {2, 8}, {0, 0, 9, 9, 0, 0, 4, 2, 0, 0, 9, 9, 2, 0, 6, 2}),
           constant<int32_t>(DType::i32, {2}, {3, 3})},
          std::move(params),
          {tensor(DType::f32, {-1}), tensor(DType::f32, {-1, 4}), tensor(DType::i32, {-1}),
           tensor(DType::i32, {-1})}};
}

std::vector<float> scores_of(const OneNode& node) {
  return node
      .with_view([](const NodeView& view) -> Result<std::vector<float>> {
        NNRT_ASSIGN(const std::vector<LimitedBox> boxes, limited_boxes(view));
        std::vector<float> scores;
        for (const LimitedBox& box : boxes) scores.push_back(box.score);
        return scores;
      })
      .value();
}

TEST(LimitedBoxes, LoseScoreByTheirOverlap) {
  const auto params = [](int64_t mode, float threshold) {
    return std::vector{as_param(kMode, i64s({mode})), as_param(kThreshold, f32(threshold)),
                       as_param(kNmsScore, f32(0.01f))};
  };
  EXPECT_EQ(scores_of(limited(1, 3, params(0, 0.3f))), (std::vector<float>{3}));
  EXPECT_EQ(scores_of(limited(1, 3, params(0, 0.4f))), (std::vector<float>{3, 1}));
  EXPECT_FLOAT_EQ(scores_of(limited(1, 3, params(1, 0.3f)))[1], 2.0f / 3);
  EXPECT_FLOAT_EQ(scores_of(limited(1, 3, params(2, 0.3f)))[1], std::exp(-1.0f / 9));
}

TEST(LimitedBoxes, AnotherModeIsAnError) {
  EXPECT_EQ(limited(1, 2, {as_param(kMode, i64s({3}))}).complaint(), "The mode (3) is not 0, 1 or 2.");
}

TEST(LimitedBoxes, NoneIsAnErrorOrAnEmptyRow) {
  EXPECT_EQ(limited(-1, 0, {}).complaint(), "No box is left, and outputs cannot be empty.");
  EXPECT_EQ(limited(-1, 0, {as_param(kEmptyRow, boolean(true))}).complaint(), "ok");
}

TEST(Proposals, AreTheBestAnchorsThatAreLargeEnough) {
  const auto found = [](float min_size) {
    const OneNode node{
        Op::generate_proposals,
        {constant<float>(DType::f32, {1, 1, 2, 1}, {1, 2}),
         constant<float>(DType::f32, {1, 1, 2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}),
         constant<float>(DType::f32, {1, 4}, {0, 0, 1, 1}), constant<float>(DType::f32, {1, 2}, {1, 9})},
        {as_param(kMinSize, f32(min_size))},
        {tensor(DType::f32, {-1}), tensor(DType::f32, {-1, 4}), tensor(DType::i32, {-1})}};
    return node.with_view([](const NodeView& view) { return proposals(view); }).value();
  };
  // The overlap of neighbors is 0, which is the threshold.
  ASSERT_EQ(found(0.5f).size(), 1u);
  EXPECT_EQ(found(0.5f)[0].score, 2);
  EXPECT_EQ(found(0.5f)[0].box.x1, 1);
  EXPECT_TRUE(found(1).empty());
}

}  // namespace
}  // namespace nnrt
