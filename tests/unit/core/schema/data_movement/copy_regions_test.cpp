// Data movement operators other than blocks and padding.
#include "tests/unit/core/schema/data_movement/run_copy_regions.h"

namespace nnrt {
namespace {

using namespace testing_support;

const Shape kIn{3, 5, 7};

OneNode on(Op op, const Shape& input, std::vector<Tensor> values, std::vector<Tensor> params,
           const Shape& output) {
  values.insert(values.begin(), floats(input));
  return {op, std::move(values), std::move(params), {floats(output)}};
}

TEST(Reshapes, AreOneContiguousRegion) {
  const auto program = on(Op::reshape, kIn, {i32s({105})}, {}, {105}).with_view(copy_program);
  ASSERT_EQ(program.value().regions.size(), 1u);
  const CopyRegion& region = program.value().regions[0];
  EXPECT_EQ(region.shape, Shape{105});
  EXPECT_EQ(region.from_strides, Strides{1});
  EXPECT_EQ(region.to_strides, Strides{1});
}

TEST(Transpose, OfRankEight) {
  const Shape in{2, 1, 3, 1, 2, 1, 2, 3};
  expect_moved(on(Op::transpose, in, {i32s({7, 6, 5, 4, 3, 2, 1, 0})}, {}, {3, 2, 1, 2, 1, 3, 1, 2}),
               [&](const Index& o) {
                 return at(in, {o.rbegin(), o.rend()});
               });
}

TEST(Transpose, MergesAdjacentDimensions) {
  const auto program =
      on(Op::transpose, {2, 3, 5, 7}, {i32s({2, 3, 0, 1})}, {}, {5, 7, 2, 3}).with_view(copy_program);
  EXPECT_EQ(program.value().regions[0].shape, (Shape{35, 6}));
}

TEST(StridedSlice, ClampsExtremeIndices) {
  expect_moved(on(Op::strided_slice, {5}, {i64s({INT64_MAX}), i64s({INT64_MIN}), i64s({INT64_MIN})}, {}, {1}),
               [](const Index&) { return 4; });
  expect_moved(on(Op::strided_slice, {5}, {i64s({INT64_MIN}), i64s({INT64_MAX}), i64s({INT64_MAX})}, {}, {1}),
               [](const Index&) { return 0; });
}

TEST(Concat, TakesScalarsAsVectors) {
  const OneNode node{Op::concat, {floats({}), floats({1}), floats({})}, {}, {floats({3})}};
  expect_moved(node, [](const Index& o) { return o[0] * kNextInput; });
}

TEST(Unstack, OfAVectorGivesScalars) {
  const OneNode node{Op::unstack, {floats({2})}, {}, {floats({}), floats({1})}};
  EXPECT_EQ(moved(node), (std::vector<Elements>{{0}, {1}}));
}

}  // namespace
}  // namespace nnrt
