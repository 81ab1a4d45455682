#include "tests/support/lowered_node.h"

#include <algorithm>

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

const Quant kQuant{.scales = {0.5}, .zero_points = {3}};

TEST(LowerDequantized, ConvertsFp16IntoScratchAndBack) {
  const RecordingSink sink =
      LoweredNode(Op::softmax).input({3, 8}, DType::f16).output({3, 8}, DType::f16).lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(sink.dispatch(0).shader, "cast");
  EXPECT_EQ(sink.dispatch(1).shader, "softmax_f32_vec4_row");
  EXPECT_EQ(sink.dispatch(1).buffers[0].space, Space::scratch);
  EXPECT_EQ(sink.dispatch(2).shader, "cast");
  EXPECT_EQ(sink.dispatch(2).buffers[1], (vulkan::Buffer{Space::tensor, 1}));
}

TEST(LowerDequantized, ConvertsDoublesToFloat) {
  const RecordingSink sink =
      LoweredNode(Op::log_softmax).input({3, 8}, DType::f64).output({3, 8}, DType::f64).lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(sink.dispatch(1).shader, "softmax_f32_vec4");
}

TEST(LowerDequantized, CopiesFromTheConvertedOperandToo) {
  LoweredNode node(Op::l2_normalize);
  node.input({7, 3, 2}, DType::f16).integer(Attr::axes, {0, 2}).output({7, 3, 2}, DType::f16);
  node.plan.is_software = true;
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 5u);
  EXPECT_EQ(sink.dispatch(0).shader, "cast");
  EXPECT_EQ(sink.command<vulkan::Copy>(1).from, sink.dispatch(0).buffers[1]);
  EXPECT_EQ(sink.command<vulkan::Copy>(3).to, sink.dispatch(4).buffers[0]);
}

TEST(LowerDequantized, ConvertsWithTensorParameters) {
  const RecordingSink sink =
      LoweredNode(Op::softmax).input({3, 8}, DType::i8, kQuant).output({3, 8}, DType::i8, kQuant).lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(sink.dispatch(0).shader, "quantize_f32");
  EXPECT_EQ(sink.dispatch(2).shader, "quantize_f32");
  EXPECT_EQ(sink.dispatch(2).constants[0], 1u);
}

TEST(LowerDequantized, ConvertsFedWeightsPerChannel) {
  const Quant by_channel{.scales = {1, 2}, .zero_points = {0, 0}};
  const RecordingSink sink = LoweredNode(Op::full_connection)
                                 .input({5, 3}, DType::i8, kQuant)
                                 .input({2, 3}, DType::i8, by_channel)
                                 .output({5, 2}, DType::i8, kQuant)
                                 .lower();
  EXPECT_EQ(push_word(sink.dispatch(0), 1), 3u);
  EXPECT_EQ(push_word(sink.dispatch(0), 2), 2u);
}

TEST(LowerDequantized, ConvertsAConstantQuantizedBiasOnTheHost) {
  LoweredNode node(Op::full_connection);
  node.input({5, 3}, DType::i8, kQuant).input({2, 3}, DType::i8, {.scales = {4, 8}, .zero_points = {0, 0}});
  node.value({10, 10}).output({5, 2}, DType::i8, kQuant);
  const RecordingSink sink = node.lower();
  const Bytes& bias = sink.constants.at("operand 2 as steps");
  float values[2] = {};
  std::memcpy(values, bias.data(), sizeof values);
  EXPECT_EQ(values[0], 10);
  EXPECT_EQ(values[1], 10);
}

TEST(LowerDequantized, ConvertsAQuantizedBiasThatARunComputes) {
  LoweredNode node(Op::full_connection);
  node.input({5, 3}, DType::i8, kQuant).input({2, 3}, DType::i8, {.scales = {4, 8}, .zero_points = {0, 0}});
  node.input({2}, DType::i32).output({5, 2}, DType::i8, kQuant);
  const RecordingSink sink = node.lower();
  const auto bias = std::ranges::find_if(sink.commands, [](const vulkan::Command& command) {
    return std::get<vulkan::Dispatch>(command).buffers[0] == vulkan::Buffer{Space::tensor, 2};
  });
  ASSERT_NE(bias, sink.commands.end());
  EXPECT_EQ(std::get<vulkan::Dispatch>(*bias).constants, (std::vector<uint32_t>{0, 4}));
  float scale = 0;
  std::memcpy(&scale, sink.constants.at("quantization of the bias").data(), sizeof scale);
  EXPECT_EQ(scale, 1);  // sums are steps
}

TEST(LowerDequantized, TakesStepsBesideQuantizedValuesAsTheyAre) {
  LoweredNode node(Op::full_connection);
  node.input({5, 3}, DType::f32, kQuant).input({2, 3}, DType::i8, {.scales = {4}, .zero_points = {0}});
  node.value({10, 10}).output({5, 2}, DType::i8, kQuant);
  const RecordingSink sink = node.lower();
  float bias = 0;
  std::memcpy(&bias, sink.constants.at("operand 2 as steps").data(), sizeof bias);
  EXPECT_EQ(bias, 10);
  ASSERT_EQ(sink.commands.size(), 4u);  // two for the weight, the GEMM, and the result's conversion
  EXPECT_EQ(sink.dispatch(2).buffers[0], (vulkan::Buffer{Space::tensor, 0}));
  EXPECT_EQ(sink.dispatch(3).shader, "quantize_f32");
}

TEST(LowerDequantized, KeepsNativeQuantizedOperators) {
  const RecordingSink sink =
      LoweredNode(Op::arg_max).input({3, 5}, DType::i8, kQuant).output({3}, DType::i32).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "cast");
  EXPECT_EQ(sink.dispatch(1).buffers[1], (vulkan::Buffer{Space::tensor, 1}));
}

TEST(LowerAll, LooksAtWhetherElementsAreNotZero) {
  const RecordingSink sink =
      LoweredNode(Op::all).input({3, 5}).value({1}).output({3}, DType::boolean).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "cast");
  EXPECT_EQ(sink.dispatch(1).shader, "reduce_bool");
}

}  // namespace
}  // namespace nnrt::test
