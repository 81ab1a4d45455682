// Which nodes the kernels of backends/vulkan/hardware.h get.
#include "backends/vulkan/lower/dots.h"
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

const Quant kQuant{.scales = {0.5}, .zero_points = {3}};

LoweredNode softmax_of_halves() {
  LoweredNode node(Op::softmax);
  node.input({3, 8}, DType::f16).output({3, 8}, DType::f16);
  return node;
}

TEST(LowerNativeHalves, GivesOperandsToTheKernelAsTheyLie) {
  LoweredNode node = softmax_of_halves();
  node.plan.native_halves = true;
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().halves, 0b11u);
  EXPECT_EQ(sink.dispatch().buffers[0], (vulkan::Buffer{Space::tensor, 0}));
  EXPECT_EQ(sink.dispatch().buffers[1], (vulkan::Buffer{Space::tensor, 1}));
  EXPECT_EQ(softmax_of_halves().lower().dispatch(1).halves, 0u);
}

TEST(LowerNativeHalves, ConvertsWhatIsReadAsTexels) {
  LoweredNode node(Op::matmul);
  node.input({16, 8}, DType::f16).input({8, 16}, DType::f16).output({16, 16}, DType::f16);
  node.plan.native_halves = true;
  node.plan.path = "formatted";
  node.plan.quad_operations = true;
  node.plan.max_texels = 1 << 20;
  const RecordingSink sink = node.lower();
  EXPECT_EQ(sink.dispatch(0).shader, "cast");
  EXPECT_EQ(sink.dispatch(sink.commands.size() - 1).halves & 0b1011u, 0b1000u);
  EXPECT_EQ(sink.dispatch(sink.commands.size() - 1).buffers[3], (vulkan::Buffer{Space::tensor, 2}));
}

TEST(LowerNativeHalves, PacksWeightsAsHalves) {
  LoweredNode node(Op::full_connection);
  node.input({16, 8}, DType::f16).halves({16, 8}).output({16, 16}, DType::f16);
  node.plan.native_halves = true;
  node.plan.max_group_invocations = 256;
  node.plan.path = "shared";
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().halves & 0b1011u, 0b1011u);
  ASSERT_EQ(sink.constants.size(), 1u);
  EXPECT_TRUE(sink.constants.begin()->first.ends_with(" as half"));
  EXPECT_EQ(sink.constants.begin()->second.size(), 16u * 8 * 2);
}

LoweredNode product_of_codes(int64_t inner, int64_t columns) {
  LoweredNode node(Op::full_connection);
  node.input({5, inner}, DType::i8, kQuant).input({columns, inner}, DType::i8, kQuant);
  node.output({5, columns}, DType::i8, kQuant);
  node.plan.packed_dots = true;
  node.plan.max_group_invocations = 256;
  return node;
}

TEST(LowerDots, MultipliesCodesAsTheyLie) {
  const RecordingSink sink = product_of_codes(8, 12).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "dots");
  EXPECT_EQ(sink.dispatch().buffers[1], (vulkan::Buffer{Space::tensor, 1}));
  EXPECT_EQ(sink.constants.at("scales of sums").size(), 12u * 8);
}

TEST(LowerDots, LeavesToFloatWhatIsNotInWholeWords) {
  EXPECT_NE(product_of_codes(6, 12).lower().commands.size(), 1u);
  EXPECT_NE(product_of_codes(8, 10).lower().commands.size(), 1u);
  LoweredNode off = product_of_codes(8, 12);
  off.plan.packed_dots = false;
  EXPECT_NE(off.lower().commands.size(), 1u);
}

TEST(LowerDots, LeavesAFedOperandThatLiesByColumnsToFloat) {
  LoweredNode node(Op::matmul);
  node.input({8, 8}, DType::i8, kQuant).input({8, 8}, DType::i8, kQuant).output({8, 8}, DType::i8, kQuant);
  node.plan.packed_dots = true;
  node.plan.max_group_invocations = 256;
  EXPECT_NE(node.lower().commands.size(), 1u);
}

LoweredNode product_of_halves(int64_t rows, int64_t inner, int64_t columns) {
  LoweredNode node(Op::matmul);
  node.input({rows, inner}, DType::f16).input({inner, columns}, DType::f16);
  node.output({rows, columns}, DType::f16);
  node.plan.native_halves = true;
  node.plan.matrices = {16, 16, 16};
  node.plan.max_group_invocations = 256;
  return node;
}

TEST(LowerMatrices, TakeHalvesAsTheyLie) {
  const RecordingSink sink = product_of_halves(40, 24, 16).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "matmul_matrices_small");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{256, 1, 1}));
  EXPECT_EQ(sink.dispatch().constants[3], 0u);
  EXPECT_EQ(sink.dispatch().halves, 0b1000u);
}

TEST(LowerMatrices, HaveLargeTilesWhereThoseAreManyEnough) {
  const RecordingSink sink = product_of_halves(4096, 64, 4096).lower();
  EXPECT_EQ(sink.dispatch().shader, "matmul_matrices");
  EXPECT_EQ(sink.dispatch().threads[0], 32u * 32 * 256);
}

TEST(LowerMatrices, RefuseFewRowsAndWhatIsNotInWholeVectors) {
  using Sizes = std::array<int64_t, 3>;
  for (const auto& [rows, inner, columns] : {Sizes{8, 24, 16}, Sizes{40, 20, 16}, Sizes{40, 24, 12}}) {
    EXPECT_FALSE(
        product_of_halves(rows, inner, columns).lower().dispatch().shader.starts_with("matmul_matrices"));
  }
}

TEST(LowerMatrices, AreOfHalvesAlone) {
  LoweredNode node(Op::matmul);
  node.input({40, 24}).input({24, 16}).output({40, 16});
  node.plan.matrices = {16, 16, 16};
  node.plan.max_group_invocations = 256;
  EXPECT_FALSE(node.lower().dispatch(0).shader.starts_with("matmul_matrices"));
}

TEST(LowerMatrices, BringWindowsOfConvolutionsThemselves) {
  LoweredNode node(Op::conv2d);
  node.input({1, 10, 10, 16}, DType::f16, {}, Format::nhwc).input({32, 3, 3, 16}, DType::f16);
  node.input({32}, DType::f16).output({1, 8, 8, 32}, DType::f16);
  node.plan.native_halves = true;
  node.plan.matrices = {16, 16, 16};
  node.plan.max_group_invocations = 256;
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "conv2d_matrices_small");
  EXPECT_EQ(sink.dispatch().halves, 0b1100u);
}

}  // namespace
}  // namespace nnrt::test
