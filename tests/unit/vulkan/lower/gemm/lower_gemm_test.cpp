#include "tests/support/lowered_node.h"

#include <numeric>

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

std::vector<float> floats(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(LowerMatMul, VectorizesAlignedRows) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({16, 8}).input({8, 32}).output({16, 32}).lower();
  EXPECT_EQ(sink.dispatch().shader, "matmul_f32_vec4");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{4, 1, 1}));
}

// Devices with cooperative matrices check float16 operands more closely.
TEST(LowerMatMul, MultipliesVectorsOfFloat16) {
  const auto lowered = [](const Shape& a, const Shape& b, const Shape& y) {
    LoweredNode node(Op::matmul);
    node.plan.fp16_storage = true;
    node.plan.matrices.fp16 = {16, 16, 16};
    return node.input(a, DType::f16).input(b, DType::f16).output(y, DType::f16).lower().commands.size();
  };
  EXPECT_GE(lowered({64}, {64}, {}), 1u);
  EXPECT_GE(lowered({1}, {1}, {}), 1u);
  EXPECT_GE(lowered({32, 64}, {64}, {32}), 1u);
  EXPECT_GE(lowered({64}, {20, 64, 8}, {20, 8}), 1u);
}

TEST(LowerMatMul, ReadsWholeTilesInPlace) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({16, 8}).input({8, 32}).output({16, 32}).lower();
  EXPECT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().buffers[1], (vulkan::Buffer{Space::tensor, 1}));
}

TEST(LowerMatMul, PacksAnOperandFedTransposedIntoScratchFirst) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink =
      node.input({16, 8}).input({12, 8}).integer(Attr::transpose_b, {1}).output({16, 12}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "pack_weights_f32");
  EXPECT_EQ(sink.dispatch(1).buffers[1].space, Space::scratch);
  EXPECT_EQ(sink.scratches, (std::vector<size_t>{16 * 8 * 4}));
}

TEST(LowerMatMul, PacksAConstantOperandOnTheHost) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({5, 2}).floats({2, 3}, {1, 2, 3, 4, 5, 6}).output({5, 3}).lower();
  EXPECT_EQ(sink.commands.size(), 1u);
  ASSERT_EQ(sink.constants.size(), 1u);
  EXPECT_EQ(floats(sink.constants.begin()->second),
            (std::vector<float>{1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(LowerMatMul, UsesOneRowPerInvocationForFewRows) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({3, 8}).input({8, 32}).output({3, 32}).lower();
  EXPECT_EQ(sink.dispatch().shader, "matmul_f32_vec4_row");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{6, 1, 1}));
}

TEST(LowerMatMul, WalksABroadcastBatchInOneDispatch) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink = node.input({2, 3, 5, 7}).input({3, 7, 11}).output({2, 3, 5, 11}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);  // one to pack
  EXPECT_EQ(sink.dispatch(1).threads[2], 6u);
}

TEST(LowerMatMul, DispatchesIrregularBatches) {
  LoweredNode node(Op::matmul);
  const RecordingSink sink =
      node.input({2, 1, 3, 5, 4}).input({1, 7, 1, 4, 16}).output({2, 7, 3, 5, 16}).lower();
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
  constexpr size_t kHasBias = 20;
  EXPECT_EQ(push_word(sink.dispatch(1), kHasBias), 0u);
}

TEST(LowerConv2d, PointwiseIsAGemm) {
  LoweredNode node(Op::conv2d);
  node.input({1, 7, 7, 8}).floats({4, 1, 1, 8}, std::vector<float>(32)).input({4});
  const RecordingSink sink = node.output({1, 7, 7, 4}).lower();
  EXPECT_EQ(sink.dispatch().shader, "matmul_f32_vec4");
  EXPECT_EQ(push_word(sink.dispatch(), 0), 49u);
}

TEST(LowerConv2d, RunsTilesOfPixelsAndChannels) {
  LoweredNode node(Op::conv2d);
  node.input({1, 7, 7, 8}).floats({4, 3, 3, 8}, std::vector<float>(288)).input({4});
  const RecordingSink sink = node.output({1, 5, 5, 4}).lower();
  EXPECT_EQ(sink.dispatch().shader, "conv2d_f32_vec4");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 0, 0}));
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{4, 1, 1}));
}

TEST(LowerConv2d, ReadsScalarsForOddGroups) {
  LoweredNode node(Op::conv2d);
  node.input({1, 7, 7, 6}).floats({4, 3, 3, 3}, std::vector<float>(108)).input({4});
  const RecordingSink sink =
      node.integer(Attr::group, {2}).integer(Attr::pad, {1, 1, 1, 1}).output({1, 7, 7, 4}).lower();
  EXPECT_EQ(sink.dispatch().shader, "conv2d_f32");
  EXPECT_EQ(sink.constants.begin()->second.size(), 2u * 27 * 16 * sizeof(float));
}

TEST(LowerConv2d, IsDepthwiseWhereEachChannelIsAGroup) {
  const auto dispatch = [](bool is_software) {
    LoweredNode node(Op::conv2d);
    node.plan.is_software = is_software;
    node.input({1, 9, 14, 8}).floats({8, 3, 3, 1}, std::vector<float>(72)).input({8});
    return node.integer(Attr::group, {8})
        .integer(Attr::pad_mode, {0})
        .output({1, 9, 14, 8})
        .lower()
        .dispatch();
  };
  EXPECT_EQ(dispatch(true).shader, "depthwise_rows_f32_vec4");
  EXPECT_EQ(dispatch(true).constants, (std::vector<uint32_t>{0, 3, 1, 4, 0}));
  // Three chunks of rows, four tiles of a row, two vec4 of channels.
  EXPECT_EQ(dispatch(true).threads, (vulkan::Size3{3 * 4 * 2, 1, 1}));
  // One invocation per output.
  EXPECT_EQ(dispatch(false).constants, (std::vector<uint32_t>{0, 3, 1, 1, 1}));
  EXPECT_EQ(dispatch(false).threads, (vulkan::Size3{9 * 14 * 2, 1, 1}));
}

TEST(LowerDepthwise, UsesRowsForOverlappingSquareWindows) {
  const auto shader = [](int64_t height, int64_t width, int64_t stride, int64_t dilation) {
    LoweredNode node(Op::depthwise_conv2d_native);
    const auto cells = size_t(4 * height * width);
    node.input({1, 30, 30, 4}).floats({4, height, width, 1}, std::vector<float>(cells)).input({4});
    node.integer(Attr::stride, {double(stride), double(stride)});
    node.integer(Attr::dilation, {double(dilation), double(dilation)});
    const auto out = [&](int64_t kernel) { return (30 - (kernel - 1) * dilation - 1) / stride + 1; };
    return std::string(node.output({1, out(height), out(width), 4}).lower().dispatch().shader);
  };
  for (const int64_t kernel : {3, 5}) {
    EXPECT_EQ(shader(kernel, kernel, 1, 1), "depthwise_rows_f32_vec4");
    EXPECT_EQ(shader(kernel, kernel, 2, 1), "depthwise_rows_f32_vec4");
    EXPECT_EQ(shader(kernel, kernel, 3, 1), "depthwise_f32_vec4");
    EXPECT_EQ(shader(kernel, kernel, 1, 2), "depthwise_f32_vec4");
  }
  EXPECT_EQ(shader(3, 5, 1, 1), "depthwise_f32_vec4");
  EXPECT_EQ(shader(7, 7, 1, 1), "depthwise_f32_vec4");
}

TEST(LowerConv2d, MakesUpThreeChannelsToFour) {
  LoweredNode node(Op::conv2d);
  std::vector<float> weight(4 * 3 * 3 * 3);
  std::iota(weight.begin(), weight.end(), 1.0f);
  node.input({1, 7, 7, 3}).floats({4, 3, 3, 3}, weight).input({4});
  const RecordingSink sink = node.output({1, 5, 5, 4}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "pad_channels_f32");
  EXPECT_EQ(sink.scratches, (std::vector<size_t>{7 * 7 * 4 * 4}));
  EXPECT_EQ(sink.dispatch(1).shader, "conv2d_f32_vec4");
  const std::vector<float> packed = floats(sink.constants.begin()->second);
  ASSERT_EQ(packed.size(), size_t(9 * 4 * 16));
  for (size_t k = 0; k < 9 * 4; ++k) {
    const float want = k % 4 == 3 ? 0 : float(k / 4 * 3 + k % 4 + 1);
    EXPECT_EQ(packed[k * 16], want) << k;
  }
}

// The pixels in one row of the window are read as one.
TEST(LowerConv2d, PaddedChannelsReadWindowRowsAtOnce) {
  LoweredNode node(Op::conv2d);
  node.input({2, 8, 9, 3}).floats({4, 3, 5, 3}, std::vector<float>(4 * 3 * 5 * 3)).input({4});
  node.integer(Attr::stride, {2, 2}).integer(Attr::pad, {1, 1, 2, 2});
  const RecordingSink sink = node.output({2, 4, 5, 4}).lower();
  constexpr uint32_t kColumns = 4 * 2 + 5;  // for a kernel 5 wide
  EXPECT_EQ(sink.scratches, (std::vector<size_t>{2 * 8 * kColumns * 4 * sizeof(float)}));
  const std::vector<uint32_t> widen{2 * 8 * kColumns, 3, 1, 2 * 8 * kColumns, kColumns, 9, 2};
  for (size_t i = 0; i < widen.size(); ++i) EXPECT_EQ(push_word(sink.dispatch(0), i), widen[i]) << i;
  const std::vector<uint32_t> tile{40, 4, 5, 8, kColumns, 1, 5, 4, 1, 3, 1, 2, 2, 1, 1, 1, 0};
  for (size_t i = 0; i < tile.size(); ++i) EXPECT_EQ(push_word(sink.dispatch(1), i), tile[i]) << i;
}

// Left padding is a multiple of four pixels too, so the kernel starts behind some of it.
TEST(LowerConv2d, MakesUpFourPixelsAtOnce) {
  LoweredNode node(Op::conv2d);
  node.input({1, 4, 8, 3}).floats({4, 3, 3, 3}, std::vector<float>(4 * 27)).input({4});
  const RecordingSink sink = node.integer(Attr::pad, {1, 1, 1, 1}).output({1, 4, 8, 4}).lower();
  EXPECT_EQ(sink.dispatch(0).shader, "pad_channels_f32_vec4");
  EXPECT_EQ(sink.scratches, (std::vector<size_t>{4 * 16 * 4 * sizeof(float)}));
  const std::vector<uint32_t> widen{4 * 4, 3, 1, 4 * 4, 4, 2, 1};
  for (size_t i = 0; i < widen.size(); ++i) EXPECT_EQ(push_word(sink.dispatch(0), i), widen[i]) << i;
  EXPECT_EQ(push_word(sink.dispatch(1), 4), 16u);
  EXPECT_EQ(int32_t(push_word(sink.dispatch(1), 16)), -3);
}

TEST(LowerConv2d, PadsOnlyChannelsOfDilatedWindows) {
  LoweredNode node(Op::conv2d);
  node.input({1, 9, 9, 3}).floats({4, 3, 3, 3}, std::vector<float>(4 * 27)).input({4});
  const RecordingSink sink = node.integer(Attr::dilation, {2, 2}).output({1, 5, 5, 4}).lower();
  EXPECT_EQ(sink.scratches, (std::vector<size_t>{9 * 9 * 4 * sizeof(float)}));
  EXPECT_EQ(push_word(sink.dispatch(1), 6), 1u);
  EXPECT_EQ(push_word(sink.dispatch(1), 10), 3u);
}

TEST(LowerConv2d, DoesNotPadFedWeights) {
  LoweredNode node(Op::conv2d);
  const RecordingSink sink =
      node.input({1, 7, 7, 3}).input({4, 3, 3, 3}).input({4}).output({1, 5, 5, 4}).lower();
  EXPECT_EQ(sink.dispatch(0).shader, "pack_weights_f32");
  EXPECT_EQ(sink.dispatch(1).shader, "conv2d_f32");
}

TEST(LowerConv2dTranspose, RunsTheSameTilesTransposed) {
  LoweredNode node(Op::conv2d_transpose);
  node.input({1, 3, 3, 4}).floats({4, 2, 2, 4}, std::vector<float>(64)).input({4});
  const RecordingSink sink = node.integer(Attr::stride, {2, 2}).output({1, 6, 6, 4}).lower();
  EXPECT_EQ(sink.dispatch().shader, "conv2d_f32_vec4");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 0, 1}));
}

TEST(LowerConv2d, RefusesTooLargeGrids) {
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
