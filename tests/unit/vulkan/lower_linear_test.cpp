#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

std::vector<float> floats(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(LowerMatMul, ReadsFoursWhereEveryRowIsOfFours) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({16, 8}).input({8, 12}).output({16, 12}).lower();
  EXPECT_EQ(sink.dispatch().shader, "matmul_f32_vec4");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{2, 2, 1}));
}

TEST(LowerMatMul, ReadsAnOperandFedInFoursWhereItLies) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({16, 8}).input({8, 12}).output({16, 12}).lower();
  EXPECT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().buffers[1], (vulkan::Buffer{Space::tensor, 1}));
}

TEST(LowerMatMul, PacksAnOperandFedTransposedIntoScratchFirst) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink =
      node.input({16, 8}).input({12, 8}).integer(Attr::transpose_b, {1}).output({16, 12}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "pack_f32");
  EXPECT_EQ(sink.dispatch(1).buffers[1].space, Space::scratch);
  EXPECT_EQ(sink.scratches, (std::vector<size_t>{12 * 8 * 4}));
}

TEST(LowerMatMul, PacksAConstantOperandOnTheHost) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({5, 2}).floats({2, 3}, {1, 2, 3, 4, 5, 6}).output({5, 3}).lower();
  EXPECT_EQ(sink.commands.size(), 1u);
  ASSERT_EQ(sink.constants.size(), 1u);
  EXPECT_EQ(floats(sink.constants.begin()->second), (std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0}));
}

TEST(LowerMatMul, GivesAnInvocationOneRowWhereThereAreFew) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({3, 8}).input({8, 12}).output({3, 12}).lower();
  EXPECT_EQ(sink.dispatch().shader, "matmul_f32_vec4_row");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{3, 2, 1}));
}

TEST(LowerMatMul, WalksABroadcastBatchInOneDispatch) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({2, 3, 5, 7}).input({3, 7, 11}).output({2, 3, 5, 11}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);  // one packs
  EXPECT_EQ(sink.dispatch(1).threads[2], 6u);
}

TEST(LowerMatMul, DispatchesEachIndexOfABatchThatDoesNotCollapse) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink =
      node.input({2, 1, 3, 5, 4}).input({1, 7, 1, 4, 8}).output({2, 7, 3, 5, 8}).lower();
  EXPECT_EQ(sink.commands.size(), 2u);
}

TEST(LowerMatMul, RefusesOtherTypes) {
  LoweredNode node(Op::matmul);
  node.input({2, 3}, DType::f64).input({3, 2}, DType::f64).output({2, 2}, DType::f64);
  EXPECT_EQ(node.refusal(), "FLOAT64 is not computed on the GPU.");
}

TEST(LowerFullConnection, IgnoresABiasWhereHasBiasIsFalse) {
  LoweredNode node(Op::full_connection);
  const RecordingSink sink =
      node.input({2, 3}).input({5, 3}).input({5}).integer(Attr::has_bias, {0}).output({2, 5}).lower();
  EXPECT_EQ(sink.dispatch(1).constants, (std::vector<uint32_t>{0, 0}));
}

TEST(LowerConv2d, IsAProductWhereTheKernelIsOneCell) {
  LoweredNode node(Op::conv2d);
  node.input({1, 7, 7, 8}).floats({4, 1, 1, 8}, std::vector<float>(32)).input({4});
  const RecordingSink sink = node.output({1, 7, 7, 4}).lower();
  EXPECT_EQ(sink.dispatch().shader, "matmul_f32_vec4");
  EXPECT_EQ(push_word(sink.dispatch(), 0), 49u);
}

TEST(LowerConv2d, PadsNothingWhereNoWindowReachesOutside) {
  LoweredNode node(Op::conv2d);
  node.input({1, 7, 7, 8}).floats({4, 3, 3, 8}, std::vector<float>(288)).input({4});
  const RecordingSink sink = node.output({1, 5, 5, 4}).lower();
  EXPECT_EQ(sink.dispatch().shader, "conv2d_f32_vec4");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, 0, 0}));
}

TEST(LowerConv2d, ReadsSingleElementsWhereAGroupIsNotOfFours) {
  LoweredNode node(Op::conv2d);
  node.input({1, 7, 7, 6}).floats({4, 3, 3, 3}, std::vector<float>(108)).input({4});
  const RecordingSink sink =
      node.integer(Attr::group, {2}).integer(Attr::pad, {1, 1, 1, 1}).output({1, 7, 7, 4}).lower();
  EXPECT_EQ(sink.dispatch().shader, "conv2d_f32");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, 1, 0}));
  EXPECT_EQ(sink.constants.begin()->second.size(), 2u * 27 * 4 * sizeof(float));
}

TEST(LowerConv2d, IsDepthwiseWhereEachChannelIsAGroup) {
  LoweredNode node(Op::conv2d);
  node.input({1, 9, 14, 8}).floats({8, 3, 3, 1}, std::vector<float>(72)).input({8});
  const RecordingSink sink =
      node.integer(Attr::group, {8}).integer(Attr::pad_mode, {0}).output({1, 9, 14, 8}).lower();
  EXPECT_EQ(sink.dispatch().shader, "depthwise_f32_vec4");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{18, 2, 1}));
}

TEST(LowerDepthwise, ChecksColumnsOfATileThatReachesBeyondTheOutput) {
  LoweredNode node(Op::depthwise_conv2d_native);
  node.input({1, 5, 8, 4}).floats({4, 1, 1, 1}, std::vector<float>(4)).input({4});
  const RecordingSink sink = node.output({1, 5, 8, 4}).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, 0}));
}

TEST(LowerDepthwise, SharesColumnsBetweenNeighbouringWindowsOfThree) {
  const auto constants = [](double stride) {
    LoweredNode node(Op::depthwise_conv2d_native);
    node.input({1, 9, 30, 4}).floats({4, 3, 3, 1}, std::vector<float>(36)).input({4});
    node.integer(Attr::stride, {1, stride}).output({1, 7, stride == 1 ? 28 : 14, 4});
    return node.lower().dispatch().constants;
  };
  EXPECT_EQ(constants(1), (std::vector<uint32_t>{0, 0, 1}));
  EXPECT_EQ(constants(2), (std::vector<uint32_t>{0, 0, 0}));
}

TEST(LowerConv2dTranspose, RunsTheSameTilesTransposed) {
  LoweredNode node(Op::conv2d_transpose);
  node.input({1, 3, 3, 4}).floats({4, 2, 2, 4}, std::vector<float>(64)).input({4});
  const RecordingSink sink = node.integer(Attr::stride, {2, 2}).output({1, 6, 6, 4}).lower();
  EXPECT_EQ(sink.dispatch().shader, "conv2d_f32_vec4");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, 1, 1}));
}

TEST(LowerConv2d, RefusesAGridThatTheDeviceDoesNotHave) {
  LoweredNode node(Op::conv2d);
  node.plan.max_group_count = {2, 2, 2};
  node.input({1, 256, 256, 4}).input({4, 3, 3, 4}).input({4}).output({1, 254, 254, 4});
  RecordingSink sink;
  const Status status = node.try_lower(sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::unsupported);
}

}  // namespace
}  // namespace nnrt::test
