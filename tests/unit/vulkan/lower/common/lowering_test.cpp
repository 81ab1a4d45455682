// Nodes beyond a device's limits.
#include "backends/vulkan/lower/common/lowering_common.h"
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

TEST(Lowering, RefusesTooLargeGrids) {
  LoweredNode node(Op::conv2d);
  node.plan.max_group_count = {2, 2, 2};
  node.input({1, 256, 256, 4}).input({4, 3, 3, 4}).input({4}).output({1, 254, 254, 4});
  RecordingSink sink;
  const Status status = node.try_lower(sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::unsupported);
}

// An index per element or place is scratch memory of its own.
TEST(Lowering, RejectsScratchBeyondStorageRange) {
  LoweredNode elements(Op::scatter_elements), places(Op::sparse_to_dense);
  elements.input({4, 12}, DType::i8).input({2, 5}, DType::i32).input({2, 5}, DType::i8);
  elements.output({4, 12}, DType::i8);
  places.input({2, 1}, DType::i32).input({1}, DType::u8).value({48}).output({48}, DType::u8);
  for (LoweredNode* const node : {&elements, &places}) {
    node->plan.max_storage_range = 191;
    EXPECT_TRUE(node->refusal());
    node->plan.max_storage_range = 192;
    EXPECT_FALSE(node->refusal());
  }
}

TEST(Lowering, RejectsCountsBeyondInt32) {
  EXPECT_EQ(vulkan::count_of({65536, 32768}).error().code, Code::unsupported);
}

}  // namespace
}  // namespace nnrt::test
