#include "core/schema/geometry.h"

#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using namespace testing_support;

TEST(NormalizeAxis, RefusesAxesOutsideTheRank) {
  EXPECT_EQ(normalize_axis(3, 3).error().message, "Axis (3) is outside [-3, 3).");
  EXPECT_EQ(normalize_axis(INT64_MIN, 3).error().code, Code::invalid_parameter);
}

TEST(LayoutOf, PutsChannelsSecondForNchwAlone) {
  EXPECT_EQ(layout_of(Format::nchw).c, 1u);
  EXPECT_EQ(layout_of(Format::nchw).h, 2u);
  EXPECT_EQ(layout_of(Format::nchw).w, 3u);
  for (const Format format : {Format::none, Format::nhwc, Format::nd}) EXPECT_EQ(layout_of(format).c, 3u);
}

Result<size_t> channel_of(Shape shape, Format format) {
  OneNode node{Op::bias_add, {in_format(format, floats(shape)), floats({5})}, {}, {floats(shape)}};
  return node.with_view([](const NodeView& view) { return Result<size_t>(channel_axis(view)); });
}

TEST(ChannelAxis, IsSecondForNchwFromRank3) {
  EXPECT_EQ(channel_of({2, 3, 5}, Format::nhwc).value(), 2u);
  EXPECT_EQ(channel_of({2, 5, 3}, Format::nchw).value(), 1u);
  EXPECT_EQ(channel_of({2, 5}, Format::nchw).value(), 1u);
  EXPECT_EQ(channel_of({5}, Format::nchw).value(), 0u);
}

Result<MatMul> product_of(Shape a, Shape b, bool transpose_a = false, bool transpose_b = false) {
  OneNode node{Op::matmul,
               {floats(std::move(a)), floats(std::move(b))},
               {as_param(33, boolean(transpose_a)), as_param(34, boolean(transpose_b))},
               {floats({-1})}};
  return node.with_view(matmul_of);
}

TEST(FoldBatch, MakesOneProductOfOneRightOperand) {
  for (const Shape& a : {Shape{197, 1, 5}, Shape{1, 197, 5}, Shape{1, 197, 1, 5}}) {
    const MatMul work = fold_batch(product_of(a, {5, 7}).value());
    EXPECT_EQ(work.rows, 197);
    EXPECT_TRUE(work.batch.empty());
  }
  EXPECT_EQ(fold_batch(product_of({2, 3, 4, 5}, {1, 1, 5, 7}).value()).rows, 24);
}

TEST(FoldBatch, KeepsBatchOfBothOperands) {
  EXPECT_EQ(fold_batch(product_of({2, 3, 5}, {2, 5, 7}).value()).rows, 3);
  EXPECT_EQ(fold_batch(product_of({2, 5, 3}, {5, 7}, true).value()).rows, 3);
  EXPECT_EQ(fold_batch(product_of({3, 5}, {4, 5, 7}).value()).rows, 3);
  EXPECT_EQ(fold_batch(product_of({2, 1, 3, 5}, {11, 5, 7}).value()).rows, 3);
}

TEST(MatMulOf, KeepsUnknownDimensions) {
  const MatMul work = product_of({-1, -1, 5}, {5, 7}).value();
  EXPECT_EQ(work.batch, Shape{-1});
  EXPECT_EQ(work.rows, -1);
}

}  // namespace
}  // namespace nnrt
