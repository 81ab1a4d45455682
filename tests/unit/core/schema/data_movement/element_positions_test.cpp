#include "core/schema/data_movement/element_positions.h"

#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using namespace testing_support;

ElementPositions positions(Shape input, Shape indices, int64_t axis) {
  const OneNode node{Op::gather_elements,
                     {floats(std::move(input)), tensor(DType::i32, std::move(indices))},
                     {as_param(1001, i64s({axis}))},
                     {floats({})}};
  return node.with_view(element_positions).value();
}

TEST(ElementPositions, WholeDimensionsBesideTheAxisAreOne) {
  const ElementPositions made = positions({2, 3, 5, 7, 11}, {2, 3, 4, 7, 11}, 2);
  EXPECT_EQ(made.counts, (Shape{6, 4, 77}));
  EXPECT_EQ(made.strides, (Strides{385, 77, 1}));
  EXPECT_EQ(made.axis, 1u);
  EXPECT_EQ(made.length, 5);
}

TEST(ElementPositions, PartsOfDimensionsStayApart) {
  const ElementPositions made = positions({2, 3, 5}, {1, 2, 9}, -1);
  EXPECT_EQ(made.counts, (Shape{1, 2, 9}));
  EXPECT_EQ(made.strides, (Strides{15, 5, 1}));
  EXPECT_EQ(made.axis, 2u);
}

TEST(ElementPositions, AScalarIsAVectorOfOne) {
  EXPECT_EQ(positions({}, {}, 0).counts, Shape{1});
  EXPECT_EQ(positions({4}, {}, 0).length, 4);
}

}  // namespace
}  // namespace nnrt
