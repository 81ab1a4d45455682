// Quantized products by int8 cooperative matrices.
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

const Quant kQuant{.scales = {0.5}, .zero_points = {3}};

LoweredNode for_int8_matrices(int64_t rows, int64_t inner, int64_t columns, uint32_t cores = 1) {
  LoweredNode node(Op::full_connection);
  node.input({rows, inner}, DType::i8, kQuant).input({columns, inner}, DType::i8, kQuant);
  node.output({rows, columns}, DType::i8, kQuant);
  node.plan.int8_dot = true;
  node.plan.matrices.int8 = {16, 16, 32};
  node.plan.max_group_invocations = 256;
  node.plan.max_shared_bytes = 49152;
  node.plan.cores = cores;
  return node;
}

TEST(LowerInt8Matrix, MultipliesQuantizedValuesAsTheyLie) {
  const RecordingSink sink = for_int8_matrices(40, 48, 36).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "int8_matrix");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{128, 1, 1}));
  // No taps, weight zero points, column sums because the weights are an input, and the device's matrices.
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, 0, 1, 32, 16, 16, 32, 2, 2}));
  EXPECT_EQ(sink.dispatch().buffers[1], (vulkan::Buffer{Space::tensor, 1}));
  EXPECT_EQ(sink.constants.begin()->second.size(), 36u * 16);
}

TEST(LowerInt8Matrix, SplitsLongKIntoIntegerSums) {
  const RecordingSink sink = for_int8_matrices(64, 4608, 512, 132).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "int8_matrix_small");
  EXPECT_EQ(sink.dispatch(0).threads, (vulkan::Size3{2 * 16 * 128, 1, 8}));
  EXPECT_EQ(sink.scratches[0], 8u * 64 * 512 * 4);
  EXPECT_EQ(sink.dispatch(1).shader, "add_int8_parts");
  EXPECT_EQ(push_words(sink.dispatch(1), 0, 3), (std::vector<uint32_t>{64 * 512 / 4, 512 / 4, 8}));
}

TEST(LowerInt8Matrix, LeavesFewRowsAndOddChannelsToInt8Dot) {
  EXPECT_EQ(for_int8_matrices(15, 48, 36).lower().dispatch().shader, "int8_dot");
  EXPECT_EQ(for_int8_matrices(40, 40, 36).lower().dispatch().shader, "int8_dot");
  LoweredNode emulated = for_int8_matrices(40, 48, 36);
  emulated.plan.matrices.emulates_int8 = true;
  EXPECT_EQ(emulated.lower().dispatch().shader, "int8_matrix_emulated");
}

}  // namespace
}  // namespace nnrt::test
