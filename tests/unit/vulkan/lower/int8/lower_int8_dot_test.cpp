// Quantized products by int8 dot products, and those that use floats.
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

const Quant kQuant{.scales = {0.5}, .zero_points = {3}};

LoweredNode quantized_gemm(int64_t inner, int64_t columns) {
  LoweredNode node(Op::full_connection);
  node.input({5, inner}, DType::i8, kQuant).input({columns, inner}, DType::i8, kQuant);
  node.output({5, columns}, DType::i8, kQuant);
  node.plan.int8_dot = true;
  node.plan.max_group_invocations = 256;
  return node;
}

TEST(LowerInt8Dot, MultipliesQuantizedValuesAsTheyLie) {
  const RecordingSink sink = quantized_gemm(8, 12).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "int8_dot");
  EXPECT_EQ(sink.dispatch().buffers[1], (vulkan::Buffer{Space::tensor, 1}));
  EXPECT_EQ(sink.constants.at("factors of integer sums").size(), 12u * 16);
}

TEST(LowerInt8Dot, LoadsVectorsWhereKFillsThem) {
  const auto constants = [](int64_t inner) { return quantized_gemm(inner, 12).lower().dispatch().constants; };
  EXPECT_EQ(constants(48), std::vector<uint32_t>{1});
  EXPECT_EQ(constants(40), std::vector<uint32_t>{0});
}

TEST(LowerInt8Dot, ComputesFewerRowsWhereRegistersAreFew) {
  LoweredNode node = quantized_gemm(48, 12);
  node.plan.max_registers = 128;
  const RecordingSink sink = node.lower();
  EXPECT_EQ(sink.dispatch().shader, "int8_dot_small");
  EXPECT_EQ(sink.dispatch().local[0], 256u);
  node.plan.max_group_invocations = 128;
  EXPECT_EQ(node.lower().dispatch().shader, "int8_dot");
}

TEST(LowerInt8Dot, UsesRegistersWhereSharedMemoryIsSlow) {
  LoweredNode node = quantized_gemm(48, 12);
  node.plan.fast_shared_memory = false;
  const RecordingSink sink = node.lower();
  EXPECT_EQ(sink.dispatch().shader, "int8_dot_registers");
  EXPECT_EQ(sink.dispatch().constants, std::vector<uint32_t>{1});
  EXPECT_EQ(sink.dispatch().threads[0], 2u * 3);  // 4 pixels by 4 columns each
}

TEST(LowerInt8Dot, DeclinesPartialWords) {
  EXPECT_NE(quantized_gemm(6, 12).lower().commands.size(), 1u);
  EXPECT_NE(quantized_gemm(8, 10).lower().commands.size(), 1u);
  LoweredNode off = quantized_gemm(8, 12);
  off.plan.int8_dot = false;
  EXPECT_NE(off.lower().commands.size(), 1u);
}

LoweredNode sums(int64_t inner) {
  LoweredNode node(Op::full_connection);
  node.input({5, inner}, DType::i8, kQuant).input({12, inner}, DType::i8, kQuant);
  node.output({5, 12}, DType::i32);
  node.plan.max_group_invocations = 256;
  return node;
}

TEST(LowerInt8Dot, AddsSumsOfInt32OnEveryDevice) {
  const RecordingSink sink = sums(8).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "int8_dot_plain");
  LoweredNode fast = sums(8);
  fast.plan.int8_dot = true;
  EXPECT_EQ(fast.lower().dispatch().shader, "int8_dot");
  EXPECT_FALSE(sums(8).refusal());
  EXPECT_TRUE(sums(6).refusal());  // floats would not be exact
}

TEST(LowerInt8Dot, DeclinesColumnMajorFedOperands) {
  LoweredNode node(Op::matmul);
  node.input({8, 8}, DType::i8, kQuant).input({8, 8}, DType::i8, kQuant).output({8, 8}, DType::i8, kQuant);
  node.plan.int8_dot = true;
  node.plan.max_group_invocations = 256;
  EXPECT_NE(node.lower().commands.size(), 1u);
}

}  // namespace
}  // namespace nnrt::test
