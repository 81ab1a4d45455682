#include "tests/support/lowered_node.h"

#include <numeric>

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

LoweredNode fast_compile_node(Op op) {
  LoweredNode node(op);
  node.plan.shaders = vulkan::Shaders::fast_compile;
  return node;
}

LoweredNode fast_compile_convolution(int64_t channels, int64_t kernel) {
  LoweredNode node = fast_compile_node(Op::conv2d);
  node.input({1, 7, 7, channels});
  node.floats({8, kernel, kernel, channels}, std::vector<float>(size_t(8 * kernel * kernel * channels)));
  node.input({8}).output({1, 8 - kernel, 8 - kernel, 8});
  return node;
}

TEST(LowerFastCompile, ReadsConvolutionWeightsInPlace) {
  const RecordingSink sink = fast_compile_convolution(16, 3).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "conv2d_fast_compile_f32_vec4");
  EXPECT_EQ(sink.dispatch().buffers[1], (vulkan::Buffer{Space::tensor, 1}));
  EXPECT_TRUE(sink.constants.empty());
  EXPECT_EQ(sink.dispatch().threads[0], 7u * 2);  // 25 pixels by 4, 8 channels by 4
}

TEST(LowerFastCompile, UsesOneShaderForWindowsAndFullConnection) {
  LoweredNode connection = fast_compile_node(Op::full_connection);
  connection.input({3, 8}).floats({5, 8}, std::vector<float>(40)).input({5}).output({3, 5});
  const RecordingSink connected = connection.lower();
  const RecordingSink pointwise = fast_compile_convolution(16, 1).lower();
  const RecordingSink fast_compile_spatial = fast_compile_convolution(16, 3).lower();
  EXPECT_EQ(connected.dispatch().shader, fast_compile_spatial.dispatch().shader);
  EXPECT_EQ(connected.dispatch().constants, fast_compile_spatial.dispatch().constants);
  EXPECT_EQ(pointwise.dispatch().shader, fast_compile_spatial.dispatch().shader);
  EXPECT_EQ(pointwise.dispatch().constants, fast_compile_spatial.dispatch().constants);
}

TEST(LowerFastCompile, SharesWeightsAmongEightInvocations) {
  LoweredNode node = fast_compile_convolution(16, 3);
  node.plan.is_software = true;
  node.plan.shuffled = 8;
  node.plan.max_texels = 9 * 8 * 16 / 4;
  const RecordingSink sink = node.lower();
  EXPECT_EQ(sink.dispatch().shader, "conv2d_fast_compile_f32_vec4_subgroup8");
  EXPECT_EQ(sink.dispatch().threads[0], 8u);  // 25 pixels of 32, 8 channels
  node.plan.shuffled = 4;
  EXPECT_EQ(node.lower().dispatch().shader, "conv2d_fast_compile_f32_vec4");
}

TEST(LowerFastCompile, StoresSingleElementsOfSixChannels) {
  LoweredNode node = fast_compile_node(Op::conv2d);
  node.input({1, 7, 7, 4}).floats({6, 1, 1, 4}, std::vector<float>(24)).input({6}).output({1, 7, 7, 6});
  node.plan.is_software = true;
  node.plan.shuffled = 8;
  node.plan.max_texels = 1024;
  EXPECT_EQ(node.lower().dispatch().shader, "conv2d_fast_compile_f32_vec4");
}

TEST(LowerFastCompile, MakesUpThreeChannelsToFour) {
  const RecordingSink sink = fast_compile_convolution(3, 3).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "pad_channels_f32");
  EXPECT_EQ(sink.dispatch(1).shader, "conv2d_fast_compile_f32_vec4");
  ASSERT_EQ(sink.constants.size(), 1u);
  EXPECT_EQ(sink.constants.begin()->second.size(), size_t{8 * 9 * 4} * sizeof(float));
}

TEST(LowerFastCompile, ReadsSingleElementsOfTwoChannels) {
  const RecordingSink sink = fast_compile_convolution(2, 3).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "conv2d_fast_compile_f32");
}

TEST(LowerFastCompile, TransposesConstantOperandOnTheHost) {
  LoweredNode node = fast_compile_node(Op::matmul);
  const RecordingSink sink = node.input({5, 2}).floats({2, 3}, {1, 2, 3, 4, 5, 6}).output({5, 3}).lower();
  ASSERT_EQ(sink.constants.size(), 1u);
  std::vector<float> transposed(6);
  std::memcpy(transposed.data(), sink.constants.begin()->second.data(), 6 * sizeof(float));
  EXPECT_EQ(transposed, (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(LowerFastCompile, ReadsFedOperandByStrides) {
  LoweredNode node = fast_compile_node(Op::matmul);
  const RecordingSink sink = node.input({2, 5, 8}).input({2, 8, 12}).output({2, 5, 12}).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "matmul_fast_compile_f32");
  EXPECT_EQ(push_words(sink.dispatch(), 3, 6), (std::vector<uint32_t>{8, 1, 1, 12, 2, 2}));
  EXPECT_EQ(sink.dispatch().threads[0], 2u * 2 * 3);
}

}  // namespace
}  // namespace nnrt::test
