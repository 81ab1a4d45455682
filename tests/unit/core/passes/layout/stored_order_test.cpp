#include "core/passes/layout/stored_order.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

const Order kNhwc{0, 2, 3, 1};

TEST(StoredOrder, CutsChannels) {
  EXPECT_EQ(order_behind_reshape({1, 116, 28, 28}, kNhwc, {1, 2, 58, 28, 28}), (Order{0, 3, 4, 1, 2}));
  EXPECT_EQ(in_order({1, 2, 58, 28, 28}, {0, 3, 4, 1, 2}), (Shape{1, 28, 28, 2, 58}));
}

TEST(StoredOrder, CutsAndJoinsRowsAndColumns) {
  EXPECT_EQ(order_behind_reshape({2, 6, 4, 10}, kNhwc, {2, 6, 2, 2, 5, 2}), (Order{0, 2, 3, 4, 5, 1}));
  EXPECT_EQ(order_behind_reshape({2, 6, 4, 10}, kNhwc, {2, 6, 40}), (Order{0, 2, 1}));
  EXPECT_EQ(order_behind_reshape({2, 6, 40}, {0, 2, 1}, {2, 6, 4, 10}), kNhwc);
}

TEST(StoredOrder, RejectsSeparateDimensions) {
  EXPECT_FALSE(order_behind_reshape({2, 6, 4, 10}, kNhwc, {2, 24, 10}));
  EXPECT_FALSE(order_behind_reshape({2, 6, 4, 10}, kNhwc, {12, 4, 10}));
  EXPECT_FALSE(order_behind_reshape({1, 2, 58, 28, 28}, {0, 3, 4, 2, 1}, {1, 116, 28, 28}));
  EXPECT_FALSE(order_behind_reshape({2, 6, 4, 10}, kNhwc, {2, 3, 8, 10}));
}

TEST(StoredOrder, TakesOnesAlong) {
  EXPECT_EQ(order_behind_reshape({1, 8, 1, 1}, kNhwc, {1, 8}), std::nullopt);  // 1, 1 are stored before 8
  EXPECT_EQ(order_behind_reshape({1, 8, 3, 1}, kNhwc, {8, 3}), std::nullopt);
  EXPECT_EQ(order_behind_reshape({1, 8, 3, 1}, kNhwc, {1, 8, 3}), (Order{0, 2, 1}));
  EXPECT_FALSE(order_behind_reshape({1, 1}, {0, 1}, {}));
}

TEST(StoredOrder, KeepsOneUnknownDimension) {
  EXPECT_EQ(order_behind_reshape({kUnknown, 6, 4, 5}, kNhwc, {kUnknown, 2, 3, 4, 5}), (Order{0, 3, 4, 1, 2}));
  EXPECT_FALSE(order_behind_reshape({kUnknown, 6, 4, 5}, kNhwc, {2, 6, kUnknown, 5}));
  EXPECT_FALSE(order_behind_reshape({kUnknown, 6, kUnknown, 5}, kNhwc, {kUnknown, 6, kUnknown, 5}));
  EXPECT_FALSE(order_behind_reshape({2, 6, 0, 5}, kNhwc, {2, 6, 0, 5}));
}

TEST(StoredOrder, RefusesProductsBeyond63Bits) {
  const int64_t large = int64_t{1} << 62;
  EXPECT_FALSE(order_behind_reshape({large, 3, 4, 5}, kNhwc, {large + 1, 3, 4, 5}));
}

TEST(StoredOrder, FollowsTransposes) {
  const Order permutation{0, 2, 1, 3, 4};
  EXPECT_EQ(order_behind_transpose(permutation, {0, 3, 4, 1, 2}), (Order{0, 3, 4, 2, 1}));
  EXPECT_EQ(permutation_between({0, 3, 4, 2, 1}, {0, 3, 4, 1, 2}), (Order{0, 1, 2, 4, 3}));
  EXPECT_TRUE(is_in_place(permutation_between(kNhwc, kNhwc)));
}

}  // namespace
}  // namespace nnrt
