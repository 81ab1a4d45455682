// Data movement takes as few regions of as few dimensions as it can. Golden cases show that it moves the
// right elements.
#include "core/schema/data_movement/copy_regions.h"

#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using namespace testing_support;

const OneNode kMoves[] = {
    {Op::reshape, {floats({3, 5, 7}), i32s({105})}, {}, {floats({105})}},
    {Op::pad, {floats({15, 7}), constant<int32_t>(DType::i32, {2, 2}, {0, 0, 0, 0})}, {}, {floats({15, 7})}},
    {Op::transpose, {floats({3, 5, 7, 2}), i32s({2, 3, 0, 1})}, {}, {floats({7, 2, 3, 5})}},
    {Op::batch_to_space_nd, {floats({12, 3, 5, 2})}, {as_param(8, i64s({2, 3}))}, {floats({2, 6, 15, 2})}},
    {Op::space_to_batch_nd, {floats({2, 6, 15, 2})}, {as_param(47, i64s({2, 3}))}, {floats({12, 3, 5, 2})}},
};
const Shape kMerged[] = {{105}, {105}, {14, 15}, {6, 2, 5, 3, 2}, {2, 3, 6, 5, 2}};

TEST(CopyRegions, MergeDimensions) {
  for (size_t i = 0; i < std::size(kMoves); ++i) {
    const auto program = kMoves[i].with_view(copy_program).value();
    ASSERT_EQ(program.regions.size(), 1u) << i;
    EXPECT_EQ(program.regions[0].shape, kMerged[i]) << i;
  }
}

}  // namespace
}  // namespace nnrt
