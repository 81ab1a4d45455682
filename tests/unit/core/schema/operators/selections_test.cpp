#include "core/schema/operators/selections.h"

#include "core/base/fp16.h"
#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nnrt {
namespace {

using namespace testing_support;

TEST(Selections, NeitherZeroIsNonZero) {
  const std::vector<Half> values{to_half(0.0f), to_half(-0.0f), to_half(1e-7f), to_half(NAN)};
  const OneNode node{
      Op::non_zero, {constant(DType::f16, {2, 2}, values)}, {}, {tensor(DType::i64, {-1, -1})}};
  EXPECT_EQ(node.with_view([](const NodeView& view) -> Result<std::vector<int64_t>> {
                  return non_zero_elements(view);
                })
                .value(),
            (std::vector<int64_t>{2, 3}));
}

UniqueSlices unique(const Tensor& input, int64_t axis, bool is_sorted) {
  const OneNode node{Op::unique,
                     {input},
                     {as_param(1118, i64s({axis})), as_param(1119, boolean(is_sorted))},
                     {tensor(input.dtype, Shape(input.shape.size(), -1)), tensor(DType::i64, {-1}),
                      tensor(DType::i64, {-1}), tensor(DType::i64, {-1})}};
  return node.with_view([](const NodeView& view) -> Result<UniqueSlices> { return unique_slices(view); })
      .value();
}

TEST(Selections, EachDifferentSliceIsUniqueOnce) {
  const Tensor input = constant<float>(DType::f32, {4, 2}, {2, 1, -0.0f, 3, 2, 1, 0, 3});
  const UniqueSlices ascending = unique(input, 0, true), by_first = unique(input, -2, false);
  EXPECT_EQ(ascending.first, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(ascending.inverse, (std::vector<int64_t>{1, 0, 1, 0}));
  EXPECT_EQ(ascending.counts, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(by_first.first, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(by_first.inverse, (std::vector<int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(unique(input, 1, true).first, (std::vector<int64_t>{1, 0}));
}

TEST(Selections, NanIsUnlikeNan) {
  const UniqueSlices slices = unique(constant<float>(DType::f32, {4}, {NAN, 5, NAN, INFINITY}), 0, true);
  EXPECT_EQ(slices.first, (std::vector<int64_t>{1, 3, 0, 2}));
  EXPECT_EQ(slices.counts, (std::vector<int64_t>{1, 1, 1, 1}));
}

TEST(Selections, NothingHasNoSlices) {
  const UniqueSlices slices = unique(constant<float>(DType::f32, {0}, {}), 0, true);
  EXPECT_TRUE(slices.first.empty() && slices.inverse.empty() && slices.counts.empty());
}

// Boxes 0 and 1 have an overlap of one third.
std::vector<SelectedBox> selected(float max_overlap, std::vector<float> scores) {
  const OneNode node{Op::non_max_suppression,
                     {constant<float>(DType::f32, {1, 3, 4}, {0, 0, 2, 2, 3, 2, 1, 0, 5, 5, 5, 9}),
                      constant(DType::f32, {1, int64_t(scores.size()) / 3, 3}, scores)},
                     {as_param(1010, i64s({2})), as_param(1011, f32(max_overlap)), as_param(1012, f32(0.1f))},
                     {tensor(DType::i64, {-1, -1})}};
  return node
      .with_view(
          [](const NodeView& view) -> Result<std::vector<SelectedBox>> { return selected_boxes(view); })
      .value();
}

TEST(Selections, AsMuchOverlapAsTheThresholdIsAllowed) {
  EXPECT_EQ(selected(0.5f, {2, 3, 1}), (std::vector<SelectedBox>{{0, 0, 1}, {0, 0, 0}}));
  EXPECT_EQ(selected(0.3f, {2, 3, 1}), (std::vector<SelectedBox>{{0, 0, 1}, {0, 0, 2}}));
}

TEST(Selections, EachClassHasItsBoxesByFallingScore) {
  EXPECT_EQ(selected(0, {1, 1, 0.05f, NAN, 0.2f, 0.3f}),
            (std::vector<SelectedBox>{{0, 0, 0}, {0, 1, 2}, {0, 1, 1}}));
}

}  // namespace
}  // namespace nnrt
