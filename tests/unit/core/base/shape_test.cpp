#include "core/base/shape.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace nnrt {
namespace {

constexpr int64_t kHuge = int64_t{1} << 40;

TEST(ElementCount, DetectsOverflow) { EXPECT_EQ(element_count({kHuge, kHuge}), std::nullopt); }
TEST(ElementCount, ReachesTheLargestInteger) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(element_count({kLargest}), kLargest);
}

struct BroadcastCase {
  Shape a, b, result;
};

TEST(Broadcast, FollowsTheTableInBothDirections) {
  const BroadcastCase cases[] = {
      {{}, {}, {}},
      {{2, 3}, {}, {2, 3}},
      {{2, 3}, {3}, {2, 3}},
      {{2, 1, 5}, {3, 1}, {2, 3, 5}},
      {{1}, {7}, {7}},
      {{-1}, {1}, {-1}},
      {{-1}, {-1}, {-1}},
      {{-1}, {7}, {7}},
      {{-1}, {0}, {0}},
      {{1, 3}, {0, 1}, {0, 3}},
      {{-1, 3}, {2, 1}, {2, 3}},
      {{5, -1}, {-1, 1, 3}, {-1, 5, 3}},
  };
  for (const auto& [a, b, result] : cases) {
    EXPECT_EQ(broadcast(a, b).value(), result) << to_string(a) << to_string(b);
    EXPECT_EQ(broadcast(b, a).value(), result) << to_string(b) << to_string(a);
  }
}

TEST(Broadcast, RejectsIncompatibleDimensions) {
  EXPECT_FALSE(broadcast({2, 3}, {4, 3}).ok());
  EXPECT_EQ(broadcast({2, 3}, {4}).error().message,
            "Shapes [2, 3] and [4] do not broadcast: 3 and 4 differ and neither is 1.");
}

struct CompatibleCase {
  Shape declared, inferred;
  bool compatible;
};

TEST(Compatible, FollowsTheTable) {
  const CompatibleCase cases[] = {
      {{2, 3}, {2, 3}, true}, {{-1, 3}, {2, 3}, true}, {{2, 3}, {-1, -1}, true}, {{2, 3}, {2, 4}, false},
      {{2, 3}, {2}, false},   {{1}, {}, true},         {{}, {1}, true},          {{-1}, {}, true},
      {{}, {-1}, true},       {{}, {}, true},          {{2}, {}, false},         {{1, 1}, {}, false},
      {{1, 1}, {1}, false},
  };
  for (const auto& [declared, inferred, expected] : cases) {
    EXPECT_EQ(compatible(declared, inferred), expected) << to_string(declared) << to_string(inferred);
  }
}

TEST(Collapse, MergesContiguousDimensions) {
  const Strides both[] = {{12, 4, 1}, {12, 4, 1}};
  const Collapsed result = collapse({2, 3, 4}, both);
  EXPECT_EQ(result.shape, Shape{24});
  EXPECT_EQ(result.strides, (std::vector<Strides>{{1}, {1}}));
}

TEST(Collapse, KeepsSeamOfOneOperand) {
  const Strides operands[] = {{12, 4, 1}, {0, 4, 1}};
  const Collapsed result = collapse({2, 3, 4}, operands);
  EXPECT_EQ(result.shape, (Shape{2, 12}));
  EXPECT_EQ(result.strides, (std::vector<Strides>{{12, 1}, {0, 1}}));
}

TEST(Collapse, MergesBroadcastDimensions) {
  const Strides operands[] = {{15, 5, 1}, {0, 0, 0}};
  const Collapsed result = collapse({2, 3, 5}, operands);
  EXPECT_EQ(result.shape, Shape{30});
  EXPECT_EQ(result.strides, (std::vector<Strides>{{1}, {0}}));
}

TEST(Collapse, DropsDimensionsOfLength1WhateverTheirStride) {
  const Strides operands[] = {{99, 5, 77, 1}};
  const Collapsed result = collapse({1, 3, 1, 5}, operands);
  EXPECT_EQ(result.shape, Shape{15});
  EXPECT_EQ(result.strides, std::vector<Strides>{{1}});
}

TEST(Collapse, MergesContiguousNegativeStrides) {
  const Strides operands[] = {{-5, -1}};
  const Collapsed result = collapse({3, 5}, operands);
  EXPECT_EQ(result.shape, Shape{15});
  EXPECT_EQ(result.strides, std::vector<Strides>{{-1}});
}

TEST(Collapse, KeepsSeparateNegativeStrides) {
  const Strides operands[] = {{5, -1}};
  EXPECT_EQ(collapse({3, 5}, operands).shape, (Shape{3, 5}));
}

TEST(Collapse, LeavesOneDimensionOfAScalar) {
  const Strides scalar[] = {{}};
  const Strides ones[] = {{7, 7}};
  EXPECT_EQ(collapse({}, scalar).shape, Shape{1});
  EXPECT_EQ(collapse({1, 1}, ones).shape, Shape{1});
  EXPECT_EQ(collapse({1, 1}, ones).strides[0].size(), 1u);
}

TEST(BroadcastStrides, ReadOneElementAsAnything) {
  EXPECT_EQ(broadcast_strides({1}, {}), Strides{});
  EXPECT_EQ(broadcast_strides({1, 1}, {3}), Strides{0});
  EXPECT_EQ(broadcast_strides({}, {}), Strides{});
  EXPECT_EQ(broadcast_strides({}, {1}), Strides{0});
}

// Checked in every build: a kernel would access memory out of bounds.
TEST(BroadcastStrides, OfFewerDimensionsAreAnError) {
  EXPECT_THROW(broadcast_strides({2}, {}), std::logic_error);
}

TEST(Product, OfUnknownDimensionsIsAnError) { EXPECT_THROW(product({2, kUnknown}, 0, 2), std::logic_error); }

}  // namespace
}  // namespace nnrt
