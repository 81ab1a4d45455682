// The shape rules of the families unary, binary, affine, reduce, norm, cast and creation.
#include "core/schema/rules.h"

#include "tests/unit/core/graph/node_tables.h"

#include <limits>

namespace nnrt {
namespace {

using namespace testing_support;

const Tensor kAny1 = floats({-1});

OneNode reduce(Shape input, Tensor axes, std::vector<Tensor> params = {}) {
  return {Op::reduce_sum, {floats(std::move(input)), std::move(axes)}, std::move(params), {kAny1}};
}
const Tensor kToEnd = as_param(158, boolean(true));

OneNode arg_max(Shape input, std::vector<Tensor> params) {
  return {Op::arg_max, {floats(std::move(input))}, std::move(params), {tensor(DType::i32, {})}};
}

OneNode range(int64_t start, int64_t limit, int64_t delta) {
  return {Op::range,
          {tensor(DType::i64, {})},
          {as_param(82, i64s({start})), as_param(83, i64s({limit})), as_param(84, i64s({delta}))},
          {tensor(DType::i64, {-1})}};
}
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

OneNode where(Shape condition, Shape a, Shape b) {
  return {Op::where,
          {tensor(DType::boolean, std::move(condition)), floats(std::move(a)), floats(std::move(b))},
          {},
          {kAny1}};
}
OneNode select(Shape condition, Shape a, Shape b) {
  OneNode node = where(std::move(condition), std::move(a), std::move(b));
  node.op = Op::select;
  return node;
}
OneNode two(Op op, Shape a, Shape b) {
  return {op, {floats(std::move(a)), floats(std::move(b))}, {}, {kAny1}};
}
OneNode scale(Shape input, Shape scale, Shape bias, int64_t axis) {
  return {Op::scale,
          {floats(std::move(input)), floats(std::move(scale)), floats(std::move(bias))},
          {as_param(45, i64s({axis}))},
          {kAny1}};
}
OneNode batch_norm(Shape input, Shape terms) {
  OneNode node = {Op::batch_norm, std::vector<Tensor>(5, floats(std::move(terms))), {}, {kAny1}};
  node.inputs[0].shape = std::move(input);
  return node;
}
OneNode make(Op op, Tensor shape) {
  if (op == Op::fill) return {op, {floats({1}), std::move(shape)}, {}, {kAny1}};
  return {op, {std::move(shape)}, {}, {kAny1}};
}
OneNode describe(Op op, Shape shape) {
  return {op, {floats(std::move(shape))}, {}, {tensor(DType::i32, {1})}};
}

const ShapeCase kElementwise[] = {
    {"Same", {Op::exp, {floats({2, -1})}, {}, {kAny1}}, {{2, -1}}},
    {"SameScalar", {Op::exp, {floats({})}, {}, {kAny1}}, {{}}},
    {"BroadcastUnknown", two(Op::add, {-1, 1, 5}, {3, -1}), {{-1, 3, 5}}},
    {"EltwiseLearnsFromTheSecond", two(Op::eltwise, {-1, 3}, {2, 3}), {{2, 3}}},
    {"BiasOfChannels", two(Op::bias_add, {2, -1, 5}, {5}), {{2, -1, 5}}},
    {"SelectByOne", select({1}, {2, -1}, {-1, 3}), {{2, 3}}},
    {"SelectByEach", select({2, 3}, {-1, 3}, {-1, 3}), {{2, 3}}},
    {"ScaleFromTheMiddle", scale({2, 3, 5, 7}, {3, 5}, {3, -1}, 1), {{2, 3, 5, 7}}},
    {"ScaleFromTheEnd", scale({2, 3}, {3}, {3}, -1), {{2, 3}}},
    {"BatchNorm", batch_norm({2, -1, 3}, {3}), {{2, -1, 3}}},
};

const ShapeCase kReductions[] = {
    {"SeveralAxesInAnyOrderOnce", reduce({2, 3, 5}, i64s({-1, 0, 2})), {{3}}},
    {"Everything", reduce({2, 3}, i32s({0, 1})), {{}}},
    {"UnknownAxes", reduce({2, 3}, tensor(DType::i32, {-1})), {{-1}}},
    {"UnknownDimensions", reduce({-1, 3, -1}, i32s({2})), {{-1, 3}}},
    {"OfAScalar", reduce({}, i32s({0})), {{}}},
    {"ArgMaxOfSeveral", arg_max({2, -1}, {as_param(124, i64s({7}))}), {{2, 7}}},
};

const ShapeCase kMade[] = {
    {"FillOfKnownLength", make(Op::fill, tensor(DType::i32, {2})), {{-1, -1}}},
    {"FillOfUnknownLength", make(Op::fill, tensor(DType::i32, {-1})), {{-1, -1, -1}}},
    {"Shape", describe(Op::shape, {2, -1, 5}), {{3}}},
    {"RangeOfTheWidestSpan", range(kLowest, kHighest, int64_t{1} << 62), {{4}}},
    {"RangeByTheLowestDelta", range(kHighest, kLowest, kLowest), {{2}}},
};

INSTANTIATE_TEST_SUITE_P(Elementwise, NodeShapes, testing::ValuesIn(kElementwise), kCaseName);
INSTANTIATE_TEST_SUITE_P(Reductions, NodeShapes, testing::ValuesIn(kReductions), kCaseName);
INSTANTIATE_TEST_SUITE_P(Made, NodeShapes, testing::ValuesIn(kMade), kCaseName);

OneNode clip(float min, float max) {
  return {Op::clip, {kAny1}, {as_param(104, f32(min)), as_param(103, f32(max))}, {kAny1}};
}
OneNode softmax(Op op, Shape input, Tensor axis) { return {op, {floats(std::move(input))}, {axis}, {kAny1}}; }

const Complaint kWrong[] = {
    {"BoundNotANumber", clip(std::numeric_limits<float>::quiet_NaN(), 1), "A bound (nan, 1) is NaN."},
    {"EltwiseGrows", two(Op::eltwise, {1, 3}, {2, 3}),
     "The broadcast result [2, 3] is not the shape of the first input ([1, 3])."},
    {"EltwiseOfHigherRank", two(Op::eltwise, {3}, {1, 3}),
     "The broadcast result [1, 3] is not the shape of the first input ([3])."},
    {"BiasOfWrongTrailingDimension", two(Op::bias_add, {2, 3, 5}, {7, 5}),
     "Dimension 0 of the bias (7) is not the input's (3)."},
    {"BiasOfHigherRank", two(Op::bias_add, {3, 5}, {2, 3, 5}), "Rank of the bias (3) is not 2."},
    {"ScaleTooLong", scale({2, 3}, {2, 3}, {2, 3}, 1),
     "Rank of the scale (2) is above the 1 dimensions from the axis on."},
    {"CoefficientOfIntegers",
     {Op::reduce_sum,
      {tensor(DType::i32, {2}), i32s({0})},
      {kToEnd, as_param(159, f32(2))},
      {tensor(DType::i32, {})}},
     "Coefficient (2) of an INT32 reduction is not 1."},
    {"NegativeEpsilon", softmax(Op::l2_normalize, {2, 3}, as_param(142, f32(-1))),
     "Epsilon (-1) is below 0."},
    {"RangeTooLong", range(kLowest, kHighest, 1),
     "The number of elements (18446744073709551615) is above 2147483647."},
    {"ShapeOfAScalar", describe(Op::shape, {}), "A scalar has no dimensions."},
    {"DataTypeUnknown",
     {Op::constant_of_shape, {i32s({3})}, {as_param(85, i64s({31}))}, {kAny1}},
     "Data type (31) is not the code of a dtype."},
};
INSTANTIATE_TEST_SUITE_P(Rules, NodeComplaints, testing::ValuesIn(kWrong), kCaseName);

TEST(Coefficient, IsAllowedForIntegersWithoutEffect) {
  for (const float coeff : {1.0f, 0.0f, 1e-6f}) {
    const OneNode node = {Op::reduce_sum,
                          {tensor(DType::i32, {2}), i32s({0})},
                          {kToEnd, as_param(159, f32(coeff))},
                          {tensor(DType::i32, {})}};
    EXPECT_EQ(node.complaint(), "ok") << coeff;
  }
}

TEST(DtypeOfCode, KnowsBothNumberings) {
  EXPECT_EQ(dtype_of_code(2), DType::i8);
  EXPECT_EQ(dtype_of_code(32), DType::i8);
  EXPECT_EQ(dtype_of_code(43), DType::f32);
  for (const int64_t code : {kLowest, int64_t{-1}, int64_t{0}, int64_t{13}, int64_t{31}, int64_t{44}}) {
    EXPECT_EQ(dtype_of_code(code), std::nullopt) << code;
  }
}

TEST(Unify, TakesKnownDimensionsOfBoth) {
  EXPECT_EQ(unify({-1, 3}, {2, -1}), (Shape{2, 3}));
  EXPECT_EQ(unify({}, {1}), Shape{});
  EXPECT_EQ(unify({-1}, {}), Shape{1});
  EXPECT_EQ(unify({2}, {3}), std::nullopt);
}

}  // namespace
}  // namespace nnrt
