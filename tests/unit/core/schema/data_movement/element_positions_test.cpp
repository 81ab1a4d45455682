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

TEST(ElementPositions, AScalarIsAVectorOfOne) {
  EXPECT_EQ(positions({}, {}, 0).counts, Shape{1});
  EXPECT_EQ(positions({4}, {}, 0).length, 4);
}

}  // namespace
}  // namespace nnrt
