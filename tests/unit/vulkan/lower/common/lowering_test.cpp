// fp16 tensors in the storage that their kernels use.
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

LoweredNode fp16_softmax() {
  LoweredNode node(Op::softmax);
  node.input({3, 8}, DType::f16).output({3, 8}, DType::f16);
  return node;
}

TEST(LowerFp16Storage, GivesOperandsToTheKernelAsTheyLie) {
  LoweredNode node = fp16_softmax();
  node.plan.fp16_storage = true;
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().fp16_bindings, 0b11u);
  EXPECT_EQ(sink.dispatch().buffers[0], (vulkan::Buffer{Space::tensor, 0}));
  EXPECT_EQ(sink.dispatch().buffers[1], (vulkan::Buffer{Space::tensor, 1}));
  EXPECT_EQ(fp16_softmax().lower().dispatch(1).fp16_bindings, 0u);
}

TEST(LowerFp16Storage, ConvertsWhatIsReadAsTexels) {
  LoweredNode node(Op::matmul);
  node.input({16, 8}, DType::f16).input({8, 16}, DType::f16).output({16, 16}, DType::f16);
  node.plan.fp16_storage = true;
  node.plan.kernels.force("texel_buffer");
  node.plan.quad_operations = true;
  node.plan.max_texels = 1 << 20;
  const RecordingSink sink = node.lower();
  EXPECT_EQ(sink.dispatch(0).shader, "cast");
  EXPECT_EQ(sink.dispatch(sink.commands.size() - 1).fp16_bindings & 0b1011u, 0b1000u);
  EXPECT_EQ(sink.dispatch(sink.commands.size() - 1).buffers[3], (vulkan::Buffer{Space::tensor, 2}));
}

TEST(LowerFp16Storage, PacksWeightsAsFp16) {
  LoweredNode node(Op::full_connection);
  node.input({16, 8}, DType::f16).fp16_input({16, 8}).output({16, 16}, DType::f16);
  node.plan.fp16_storage = true;
  node.plan.max_group_invocations = 256;
  node.plan.kernels.force("shared_memory_tile");
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().fp16_bindings & 0b1011u, 0b1011u);
  ASSERT_EQ(sink.constants.size(), 1u);
  EXPECT_TRUE(sink.constants.begin()->first.ends_with(" as fp16"));
  EXPECT_EQ(sink.constants.begin()->second.size(), 16u * 8 * 2);
}

}  // namespace
}  // namespace nnrt::test
