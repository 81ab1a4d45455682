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

TEST(Reshapes, KeepEveryElementInItsPlace) {
  const OneNode nodes[] = {
      on(Op::reshape, kIn, {i32s({7, -1})}, {}, {7, 15}),
      on(Op::flatten, kIn, {}, {as_param(79, i64s({2}))}, {15, 7}),
      on(Op::squeeze, {3, 1, 5, 1}, {}, {}, {3, 5}),
      on(Op::unsqueeze, kIn, {}, {as_param(77, i64s({0, -1}))}, {1, 3, 5, 7, 1}),
      on(Op::expand_dims, kIn, {i64s({-4})}, {}, {1, 3, 5, 7}),
      on(Op::reshape, {}, {i32s({1, 1})}, {}, {1, 1}),
  };
  for (const OneNode& node : nodes) {
    const Shape& output = node.outputs[0].shape;
    expect_moved(node, [&](const Index& o) { return at(output, o); });
  }
}

TEST(Reshapes, AreOneContiguousRegion) {
  const auto program = on(Op::reshape, kIn, {i32s({105})}, {}, {105}).with_view(copy_program);
  ASSERT_EQ(program.value().regions.size(), 1u);
  const CopyRegion& region = program.value().regions[0];
  EXPECT_EQ(region.shape, Shape{105});
  EXPECT_EQ(region.from_strides, Strides{1});
  EXPECT_EQ(region.to_strides, Strides{1});
}

TEST(Transpose, PermutesDimensions) {
  expect_moved(on(Op::transpose, kIn, {i32s({2, 0, 1})}, {}, {7, 3, 5}), [](const Index& o) {
    return at(kIn, {o[1], o[2], o[0]});
  });
}

TEST(Transpose, OfRankEight) {
  const Shape in{2, 1, 3, 1, 2, 1, 2, 3};
  expect_moved(on(Op::transpose, in, {i32s({7, 6, 5, 4, 3, 2, 1, 0})}, {}, {3, 2, 1, 2, 1, 3, 1, 2}),
               [&](const Index& o) {
                 return at(in, {o.rbegin(), o.rend()});
               });
}

TEST(Transpose, MergesDimensionsThatStayTogether) {
  const auto program =
      on(Op::transpose, {2, 3, 5, 7}, {i32s({2, 3, 0, 1})}, {}, {5, 7, 2, 3}).with_view(copy_program);
  EXPECT_EQ(program.value().regions[0].shape, (Shape{35, 6}));
}

TEST(Slice, TakesABlock) {
  expect_moved(on(Op::slice, kIn, {i32s({1, 0, 2}), i32s({2, 5, -1})}, {}, {2, 5, 5}), [](const Index& o) {
    return at(kIn, {o[0] + 1, o[1], o[2] + 2});
  });
}

TEST(Slice, TakesAxesInAnyOrder) {
  expect_moved(on(Op::slice, kIn, {i32s({4, 1}), i64s({3, 2})}, {as_param(127, i64s({-1, 0}))}, {2, 5, 3}),
               [](const Index& o) {
                 return at(kIn, {o[0] + 1, o[1], o[2] + 4});
               });
}

TEST(Crop, CutsFromTheAxisOn) {
  expect_moved(on(Op::crop, kIn, {i32s({3, 2, 4})}, {as_param(129, i64s({1})), as_param(130, i64s({3, 2}))},
                  {3, 2, 4}),
               [](const Index& o) {
                 return at(kIn, {o[0], o[1] + 3, o[2] + 2});
               });
}

TEST(StridedSlice, StepsForwardAndBackward) {
  expect_moved(
      on(Op::strided_slice, kIn, {i32s({0, -1, 5}), i32s({3, 0, -8}), i32s({2, -2, -3})}, {}, {2, 2, 2}),
      [](const Index& o) {
        return at(kIn, {2 * o[0], 4 - 2 * o[1], 5 - 3 * o[2]});
      });
}

TEST(StridedSlice, MasksOpenTheRange) {
  expect_moved(on(Op::strided_slice, kIn, {i32s({2, 2, 2}), i32s({2, 2, 2}), i32s({1, -1, 3})},
                  {as_param(54, i64s({7})), as_param(55, i64s({7}))}, {3, 5, 3}),
               [](const Index& o) {
                 return at(kIn, {o[0], 4 - o[1], 3 * o[2]});
               });
}

TEST(StridedSlice, EllipsisCoversOneDimension) {
  expect_moved(on(Op::strided_slice, kIn, {i32s({9, 1}), i32s({9, 3}), i32s({2, 1})},
                  {as_param(56, i64s({1}))}, {2, 2, 7}),
               [](const Index& o) {
                 return at(kIn, {2 * o[0], o[1] + 1, o[2]});
               });
}

TEST(StridedSlice, InsertsAndShrinksDimensions) {
  expect_moved(on(Op::strided_slice, kIn, {i32s({1, 0, -2}), i32s({2, 9, 0}), i32s({1, 0, 1})},
                  {as_param(57, i64s({2})), as_param(58, i64s({5}))}, {1, 7}),
               [](const Index& o) {
                 return at(kIn, {1, 3, o[1]});
               });
}

TEST(StridedSlice, ClampsWhatItsTypeCanHold) {
  expect_moved(on(Op::strided_slice, {5}, {i64s({INT64_MAX}), i64s({INT64_MIN}), i64s({INT64_MIN})}, {}, {1}),
               [](const Index&) { return 4; });
  expect_moved(on(Op::strided_slice, {5}, {i64s({INT64_MIN}), i64s({INT64_MAX}), i64s({INT64_MAX})}, {}, {1}),
               [](const Index&) { return 0; });
}

TEST(Tile, RepeatsEachDimension) {
  expect_moved(on(Op::tile, {3, 5}, {i32s({2, 3, 2})}, {}, {2, 9, 10}), [](const Index& o) {
    return at({3, 5}, {o[1] % 3, o[2] % 5});
  });
}

TEST(Tile, RepeatsNamedDimensions) {
  expect_moved(on(Op::tile, {3, 5}, {i32s({2})}, {as_param(128, i64s({-1}))}, {3, 10}), [](const Index& o) {
    return at({3, 5}, {o[0], o[1] % 5});
  });
}

TEST(BroadcastTo, RepeatsOnesOnEitherSide) {
  expect_moved(on(Op::broadcast_to, {3, 1, 7}, {}, {as_param(87, i64s({2, 1, 5, -1}))}, {2, 3, 5, 7}),
               [](const Index& o) {
                 return at({3, 1, 7}, {o[1], 0, o[3]});
               });
  expect_moved(on(Op::broadcast_to, {}, {}, {as_param(87, i64s({2, 3}))}, {2, 3}),
               [](const Index&) { return 0; });
}

TEST(Concat, JoinsAlongTheAxis) {
  const OneNode node{Op::concat,
                     {floats({3, 2, 5}), floats({3, 1, 5}), floats({3, 3, 5})},
                     {as_param(10, i64s({-2}))},
                     {floats({3, 6, 5})}};
  expect_moved(node, [](const Index& o) {
    if (o[1] < 2) return at({3, 2, 5}, o);
    if (o[1] < 3) return kNextInput + at({3, 1, 5}, {o[0], o[1] - 2, o[2]});
    return 2 * kNextInput + at({3, 3, 5}, {o[0], o[1] - 3, o[2]});
  });
}

TEST(Concat, TakesScalarsAsVectors) {
  const OneNode node{Op::concat, {floats({}), floats({1}), floats({})}, {}, {floats({3})}};
  expect_moved(node, [](const Index& o) { return o[0] * kNextInput; });
}

TEST(Stack, JoinsAlongANewAxis) {
  const OneNode node{
      Op::stack, {floats({3, 5}), floats({3, 5})}, {as_param(53, i64s({-2}))}, {floats({3, 2, 5})}};
  expect_moved(node, [](const Index& o) { return o[1] * kNextInput + at({3, 5}, {o[0], o[2]}); });
}

TEST(Split, CutsIntoNamedSizes) {
  const OneNode node{Op::split,
                     {floats(kIn)},
                     {as_param(49, i64s({2})), as_param(51, i64s({1, 2, -1}))},
                     {floats({3, 5, 1}), floats({3, 5, 2}), floats({3, 5, 4})}};
  const auto outputs = moved(node);
  const int64_t starts[] = {0, 1, 3};
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(outputs[k], every(node.outputs[k].shape, [&](const Index& o) {
                return at(kIn, {o[0], o[1], o[2] + starts[k]});
              }));
  }
}

TEST(Unstack, DropsTheAxis) {
  const OneNode node{Op::unstack,
                     {floats(kIn)},
                     {as_param(78, i64s({0}))},
                     {floats({5, 7}), floats({5, 7}), floats({5, 7})}};
  const auto outputs = moved(node);
  for (int64_t k = 0; k < 3; ++k) {
    EXPECT_EQ(outputs[size_t(k)], every({5, 7}, [&](const Index& o) { return at(kIn, {k, o[0], o[1]}); }));
  }
}

TEST(Unstack, OfAVectorGivesScalars) {
  const OneNode node{Op::unstack, {floats({2})}, {}, {floats({}), floats({1})}};
  EXPECT_EQ(moved(node), (std::vector<Elements>{{0}, {1}}));
}

}  // namespace
}  // namespace nnrt
