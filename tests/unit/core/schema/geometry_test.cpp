#include "core/schema/geometry.h"

#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using namespace testing_support;

TEST(NormalizeAxis, CountsNegativeAxesFromTheEnd) {
  EXPECT_EQ(normalize_axis(-1, 3).value(), 2);
  EXPECT_EQ(normalize_axis(-3, 3).value(), 0);
  EXPECT_EQ(normalize_axis(2, 3).value(), 2);
}

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

using Axes = std::vector<size_t>;

Result<Axes> reduced(Shape shape, const std::vector<int32_t>& axes, bool to_end = false) {
  OneNode node{Op::reduce_sum, {floats(shape), i32s(axes)}, {as_param(158, boolean(to_end))}, {floats({-1})}};
  return node.with_view(reduced_axes);
}

TEST(ReducedAxes, AreSortedAndEachOnce) { EXPECT_EQ(reduced({2, 3, 5}, {-1, 0, 2}).value(), (Axes{0, 2})); }

TEST(ReducedAxes, ToEndFollowFromTheFirstEntry) {
  EXPECT_EQ(reduced({2, 3, 5, 7}, {1, 0}, true).value(), (Axes{1, 2, 3}));
}

TEST(ReducedAxes, OfAScalarAreNone) { EXPECT_EQ(reduced({}, {0}).value(), Axes{}); }

TEST(ReducedAxes, RefuseAnAxisOutsideTheRank) {
  EXPECT_EQ(reduced({2, 3}, {2}).error().message, "Axis (2) is outside [-2, 2).");
}

Result<MatMul> product_of(Shape a, Shape b, bool transpose_a = false, bool transpose_b = false) {
  OneNode node{Op::matmul,
               {floats(std::move(a)), floats(std::move(b))},
               {as_param(33, boolean(transpose_a)), as_param(34, boolean(transpose_b))},
               {floats({-1})}};
  return node.with_view(matmul_of);
}

TEST(MatMulOf, ReadsRowsColumnsAndInner) {
  const MatMul work = product_of({3, 5}, {5, 7}).value();
  EXPECT_EQ(work.rows, 3);
  EXPECT_EQ(work.inner, 5);
  EXPECT_EQ(work.columns, 7);
}

TEST(MatMulOf, TransposesBothOperands) {
  const MatMul work = product_of({5, 3}, {7, 5}, true, true).value();
  EXPECT_EQ(work.rows, 3);
  EXPECT_EQ(work.columns, 7);
}

TEST(MatMulOf, BroadcastsTheStacks) {
  const MatMul work = product_of({2, 1, 3, 5}, {11, 5, 7}).value();
  EXPECT_EQ(work.batch, (Shape{2, 11}));
  EXPECT_EQ(work.batch_stride_a, (Strides{1, 0}));
  EXPECT_EQ(work.batch_stride_b, (Strides{0, 1}));
}

TEST(FoldBatch, MakesOneProductOfOneRightOperand) {
  for (const Shape& a : {Shape{197, 1, 5}, Shape{1, 197, 5}, Shape{1, 197, 1, 5}}) {
    const MatMul work = fold_batch(product_of(a, {5, 7}).value());
    EXPECT_EQ(work.rows, 197);
    EXPECT_TRUE(work.batch.empty());
  }
  EXPECT_EQ(fold_batch(product_of({2, 3, 4, 5}, {1, 1, 5, 7}).value()).rows, 24);
}

TEST(FoldBatch, KeepsWhatHasSeveralOperands) {
  EXPECT_EQ(fold_batch(product_of({2, 3, 5}, {2, 5, 7}).value()).rows, 3);
  EXPECT_EQ(fold_batch(product_of({2, 5, 3}, {5, 7}, true).value()).rows, 3);
  EXPECT_EQ(fold_batch(product_of({3, 5}, {4, 5, 7}).value()).rows, 3);
  EXPECT_EQ(fold_batch(product_of({2, 1, 3, 5}, {11, 5, 7}).value()).rows, 3);
}

TEST(MatMulOf, TakesVectorsAsRowAndColumn) {
  const MatMul work = product_of({5}, {5}).value();
  EXPECT_EQ(work.rows, 1);
  EXPECT_EQ(work.inner, 5);
  EXPECT_EQ(work.columns, 1);
}

TEST(MatMulOf, KeepsUnknownDimensions) {
  const MatMul work = product_of({-1, -1, 5}, {5, 7}).value();
  EXPECT_EQ(work.batch, Shape{-1});
  EXPECT_EQ(work.rows, -1);
}

TEST(MatMulOf, RefusesWhatDoesNotMultiply) {
  EXPECT_EQ(product_of({3, 5}, {7, 5}).error().message, "The inner dimensions (5 and 7) differ.");
  EXPECT_EQ(product_of({5}, {5, 7}, true).error().message,
            "An operand of rank 1 has no dimensions to transpose.");
  EXPECT_FALSE(product_of({2, 3, 5}, {3, 5, 7}).ok());
}

Result<MatMul> connected(Shape input, Shape weight, std::vector<Tensor> params = {}) {
  OneNode node{Op::full_connection,
               {floats(std::move(input)), floats(std::move(weight))},
               std::move(params),
               {floats({-1})}};
  return node.with_view(matmul_of);
}

TEST(FullConnection, CutsAllElementsIntoRows) {
  const MatMul work = connected({2, 3, 10}, {7, 5}).value();
  EXPECT_EQ(work.rows, 12);
  EXPECT_EQ(work.inner, 5);
  EXPECT_EQ(work.columns, 7);
  EXPECT_TRUE(work.transpose_b);
}

TEST(FullConnection, FlattensFromTheAxisOn) {
  EXPECT_EQ(connected({2, 3, 5}, {7, 15}, {as_param(31, i64s({1}))}).value().rows, 2);
  EXPECT_EQ(connected({2, 3, 5}, {7, 5}, {as_param(31, i64s({-1}))}).value().rows, 6);
}

TEST(FullConnection, UseAxisWithoutAnAxisFlattensAll) {
  EXPECT_EQ(connected({2, 3, 5}, {7, 30}, {as_param(112, boolean(true))}).value().rows, 1);
}

TEST(FullConnection, RefusesContradictions) {
  EXPECT_EQ(
      connected({2, 5}, {7, 5}, {as_param(31, i64s({1})), as_param(112, boolean(false))}).error().message,
      "An axis is given, and USE_AXIS is false.");
  EXPECT_EQ(connected({2, 3}, {7, 5}).error().message,
            "The input's elements (6) are not a multiple of the weight's columns (5).");
  EXPECT_EQ(connected({2, 3}, {7, 5}, {as_param(31, i64s({1}))}).error().message,
            "The elements from the axis on (3) are not the weight's columns (5).");
}

void expect_taps(const std::vector<Tap>& taps, const std::vector<Tap>& wanted) {
  ASSERT_EQ(taps.size(), wanted.size());
  for (size_t i = 0; i < taps.size(); ++i) {
    EXPECT_EQ(taps[i].low, wanted[i].low) << i;
    EXPECT_EQ(taps[i].high, wanted[i].high) << i;
    EXPECT_FLOAT_EQ(taps[i].t, wanted[i].t) << i;
  }
}

TEST(ResizeTaps, AsymmetricStartAtTheFirstElement) {
  expect_taps(resize_taps(2, 4, 0), {{0, 1, 0}, {0, 1, 0.5f}, {1, 1, 0}, {1, 1, 0}});
}

TEST(ResizeTaps, AlignedCornersReachTheLastElement) {
  expect_taps(resize_taps(3, 5, 1), {{0, 1, 0}, {0, 1, 0.5f}, {1, 2, 0}, {1, 2, 0.5f}, {2, 2, 0}});
}

TEST(ResizeTaps, HalfPixelsAreClampedToTheBorder) {
  expect_taps(resize_taps(2, 4, 2), {{0, 1, 0}, {0, 1, 0.25f}, {0, 1, 0.75f}, {1, 1, 0}});
}

TEST(ResizeTaps, OneOutputReadsTheFirstElement) {
  for (const int64_t mode : {0, 1, 2}) expect_taps(resize_taps(5, 1, mode), {{0, 1, 0}});
}

}  // namespace
}  // namespace nnrt
