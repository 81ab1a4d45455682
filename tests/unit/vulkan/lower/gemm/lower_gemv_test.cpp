// GEMMs of few rows on GPUs.
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using vulkan::Size3;

// Words of the push constants of gemv.comp.
enum Word : size_t { columns, inner, matrices, batch, a_outer, a_inner, b_outer, b_inner };

LoweredNode on_gpu(Op op) {
  LoweredNode node(op);
  node.plan.max_group_invocations = 1024;
  node.plan.max_shared_bytes = 49152;
  node.plan.subgroup_arithmetic = true;
  return node;
}

LoweredNode connection(int64_t rows, int64_t in, int64_t out) {
  LoweredNode node = on_gpu(Op::full_connection);
  node.input({rows, in}).input({out, in}).input({out}).output({rows, out});
  return node;
}

TEST(LowerGemv, SharesColumnsOfWeightsAmongSubgroups) {
  const RecordingSink sink = connection(1, 2048, 1000).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "gemv_f32_vec4_subgroups");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), columns, 2), (std::vector<uint32_t>{1000, 512}));
  EXPECT_EQ(sink.dispatch().local, (Size3{256, 1, 1}));
  EXPECT_EQ(sink.dispatch().threads, (Size3{250 * 256, 1, 1}));
}

TEST(LowerGemv, ReadsVectorsWhereLinesHaveWholeOnes) {
  EXPECT_EQ(connection(8, 768, 37).lower().dispatch().shader, "gemv_f32_long_subgroups");
  EXPECT_EQ(connection(3, 7, 36).lower().dispatch().shader, "gemv_f32_subgroups");
  LoweredNode node = connection(3, 8, 36);
  node.plan.subgroup_arithmetic = false;
  EXPECT_EQ(node.lower().dispatch().shader, "gemv_f32_vec4_group");
}

TEST(LowerGemv, IsForUpToEightRowsOfGpus) {
  EXPECT_FALSE(connection(9, 768, 36).lower().dispatch().shader.starts_with("gemv"));
  LoweredNode node = connection(1, 768, 36);
  node.plan.is_software = true;
  EXPECT_FALSE(node.lower().dispatch().shader.starts_with("gemv"));
}

TEST(LowerGemv, WalksLinesOfColumnsSideBySide) {
  LoweredNode node = on_gpu(Op::matmul);
  const RecordingSink sink = node.input({2, 256}).input({256, 512}).output({2, 512}).lower();
  EXPECT_EQ(sink.dispatch().shader, "gemv_f32_vec4_columns_group");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 0, 2, 8}));
  EXPECT_EQ(sink.dispatch().threads, (Size3{128 / 8 * 256, 1, 1}));
  LoweredNode odd = on_gpu(Op::matmul);
  EXPECT_FALSE(
      odd.input({2, 256}).input({256, 511}).output({2, 511}).lower().dispatch().shader.starts_with("gemv"));
}

TEST(LowerGemv, HasAMatrixForEachHead) {
  LoweredNode node = on_gpu(Op::matmul);
  node.integer(Attr::transpose_b, {1}).input({12, 1, 64}).input({12, 100, 64}).output({12, 1, 100});
  const RecordingSink sink = node.lower();
  EXPECT_EQ(sink.dispatch().threads[2], 12u);
  EXPECT_EQ(push_words(sink.dispatch(), matrices, 6), (std::vector<uint32_t>{12, 12, 0, 16, 0, 100 * 16}));
}

TEST(LowerGemv, ComputesTheEpilogue) {
  LoweredNode node = connection(1, 64, 36);
  const RecordingSink sink = node.step(Op::sigmoid).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "gemv_f32_vec4_subgroups_postop");
}

TEST(LowerGemv, IsForPointwiseConvolutionsOfFewPixels) {
  LoweredNode node = on_gpu(Op::conv2d);
  node.input({1, 1, 1, 480}).input({120, 1, 1, 480}).input({120}).output({1, 1, 1, 120});
  EXPECT_EQ(node.lower().dispatch().shader, "gemv_f32_vec4_subgroups");
}

const Quant kQuant{{0.5}, {3}};

LoweredNode quantized(int64_t rows, int64_t in, int64_t out) {
  LoweredNode node = on_gpu(Op::full_connection);
  node.plan.int8_dot = true;
  node.input({rows, in}, DType::i8, kQuant).input({out, in}, DType::i8, kQuant);
  node.output({rows, out}, DType::i8, kQuant);
  return node;
}

TEST(LowerInt8Gemv, SharesWordsOfColumns) {
  const RecordingSink sink = quantized(2, 512, 40).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "int8_gemv_subgroups");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{2, 1, 1}));  // by vectors
  EXPECT_EQ(push_words(sink.dispatch(), 0, 3), (std::vector<uint32_t>{40, 128, 1}));
  EXPECT_EQ(sink.dispatch().threads[0], 10u * 32);
  // Few vectors, or words that do not fill them.
  EXPECT_EQ(quantized(2, 240, 40).lower().dispatch().constants, (std::vector<uint32_t>{2, 1, 0}));
  EXPECT_EQ(quantized(2, 520, 40).lower().dispatch().constants, (std::vector<uint32_t>{2, 1, 0}));
}

TEST(LowerInt8Gemv, LeavesManyRowsAndShortOnesToTiles) {
  EXPECT_EQ(quantized(9, 512, 40).lower().dispatch().shader, "int8_dot");
  EXPECT_EQ(quantized(2, 32, 40).lower().dispatch().shader, "int8_dot");
}

LoweredNode nbits(int64_t rows, int64_t in, int64_t block) {
  LoweredNode node = on_gpu(Op::matmul_nbits);
  const int64_t blocks = in / block;
  node.integer(Attr::bits, {4}).integer(Attr::block, {double(block)});
  node.input({rows, in}).input({40, in / 2}, DType::u8).input({40, blocks});
  node.input({40, blocks}, DType::u8).output({rows, 40});
  return node;
}

TEST(LowerNbitsGemv, SharesTheWordsOfAColumn) {
  const RecordingSink sink = nbits(1, 1024, 32).lower();
  EXPECT_EQ(sink.dispatch().shader, "matmul_nbits_f32_subgroups");
  EXPECT_EQ(sink.dispatch().constants.back(), 1u);
  EXPECT_EQ(sink.dispatch().threads[0], 40u * 64);
  EXPECT_EQ(nbits(1, 64, 4).lower().dispatch().shader, "matmul_nbits_f32");  // a word spans two blocks
  EXPECT_NE(nbits(5, 1024, 32).lower().dispatch().shader, "matmul_nbits_f32_subgroups");
}

}  // namespace
}  // namespace nnrt::test
