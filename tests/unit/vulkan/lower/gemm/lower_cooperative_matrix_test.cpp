// fp16 products by cooperative matrices: when they apply, and split-K.
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

// On a device with this many cores.
LoweredNode fp16_gemm(int64_t rows, int64_t inner, int64_t columns, uint32_t cores = 1) {
  LoweredNode node(Op::matmul);
  node.input({rows, inner}, DType::f16).input({inner, columns}, DType::f16);
  node.output({rows, columns}, DType::f16);
  node.plan.fp16_storage = true;
  node.plan.matrices.fp16 = {16, 16, 16};
  node.plan.max_group_invocations = 256;
  node.plan.max_shared_bytes = 49152;
  node.plan.cores = cores;
  return node;
}

TEST(LowerCooperativeMatrix, TakeFp16AsTheyLie) {
  const RecordingSink sink = fp16_gemm(40, 24, 16).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "matmul_cooperative_matrix_small");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{2 * 128, 1, 1}));
  EXPECT_EQ(sink.dispatch().constants[3], 0u);
  EXPECT_EQ(sink.dispatch().fp16_bindings, 0b1000u);
}

TEST(LowerCooperativeMatrix, UsesShapeAndSubgroupOfTheDevice) {
  LoweredNode node = fp16_gemm(40, 24, 16);
  node.plan.matrices.fp16 = {8, 16, 16};
  node.plan.matrices.subgroup = 16;
  const vulkan::Dispatch dispatch = node.lower().dispatch();
  // Narrow subgroups have few registers: each has 16 rows and 32 columns.
  EXPECT_EQ(dispatch.local[0], 32u);
  EXPECT_EQ(dispatch.threads[0], 2 * 32u);
  EXPECT_EQ(dispatch.constants, (std::vector<uint32_t>{0, 0, 0, 0, 16, 8, 16, 16, 2, 1}));
  LoweredNode large = fp16_gemm(4096, 64, 4096);
  large.plan.matrices.subgroup = 16;
  large.plan.matrices.fp16 = {8, 16, 16};
  EXPECT_EQ(large.lower().dispatch().local[0], 128u);
  large.plan.max_group_invocations = 1024;
  EXPECT_EQ(large.lower().dispatch().local[0], 32 * 16u);
}

TEST(LowerCooperativeMatrix, TransposeOperandsStoredByKStepsOnAmd) {
  LoweredNode node = fp16_gemm(40, 24, 16);
  node.plan.vendor_id = 0x1002;
  EXPECT_EQ(node.lower().dispatch().constants[3], 2u);
}

TEST(LowerCooperativeMatrix, HaveLargeTilesWhereThoseAreManyEnough) {
  const RecordingSink large = fp16_gemm(4096, 64, 4096, 132).lower();
  EXPECT_EQ(large.dispatch().shader, "matmul_cooperative_matrix_large");
  EXPECT_EQ(large.dispatch().threads[0], 32u * 32 * 128);
  EXPECT_EQ(fp16_gemm(1024, 64, 1024, 132).lower().dispatch().shader, "matmul_cooperative_matrix");
  EXPECT_EQ(fp16_gemm(512, 64, 512, 132).lower().dispatch().shader, "matmul_cooperative_matrix_small");
}

TEST(LowerCooperativeMatrix, FitSharedMemory) {
  LoweredNode node = fp16_gemm(4096, 64, 4096, 132);
  const auto shader = [&](uint32_t shared_bytes) {
    node.plan.max_shared_bytes = shared_bytes;
    return node.lower().dispatch().shader;
  };
  EXPECT_EQ(shader(36864), "matmul_cooperative_matrix_large");
  EXPECT_EQ(shader(32768), "matmul_cooperative_matrix");
  EXPECT_EQ(shader(16384), "matmul_cooperative_matrix_small");
  node.plan.matrices.emulates_fp16 = true;  // no gap after the lines
  node.plan.kernels.force("cooperative_matrix_emulated");
  EXPECT_EQ(shader(32768), "matmul_cooperative_matrix_large_emulated");
}

TEST(LowerCooperativeMatrix, UsesOneMatrixPerSubgroupIfPreferred) {
  LoweredNode node = fp16_gemm(4096, 64, 4096, 132);
  node.plan.matrices.prefers_one = true;
  EXPECT_EQ(node.lower().dispatch().shader, "matmul_cooperative_matrix_small");
  node.plan.kernels.force("matrix_64x64");
  EXPECT_EQ(node.lower().dispatch().shader, "matmul_cooperative_matrix");
}

TEST(LowerCooperativeMatrix, SplitsLongKIfTilesAreFew) {
  const RecordingSink sink = fp16_gemm(64, 4608, 512, 132).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "matmul_cooperative_matrix_small");
  EXPECT_EQ(sink.dispatch(0).threads, (vulkan::Size3{2 * 16 * 128, 1, 8}));
  EXPECT_EQ(sink.dispatch(0).fp16_bindings, 0u);
  EXPECT_EQ(push_word(sink.dispatch(0), 9), 576u);
  EXPECT_EQ(sink.scratches[0], 8u * 64 * 512 * 4);
  EXPECT_EQ(sink.dispatch(1).shader, "add_parts_f32_vec4");
  EXPECT_EQ(push_words(sink.dispatch(1), 0, 3), (std::vector<uint32_t>{64 * 512 / 4, 512 / 4, 8}));
  EXPECT_EQ(sink.dispatch(1).fp16_bindings, 0b100u);
}

TEST(LowerCooperativeMatrix, DeclinesFewRowsAndPartialVectors) {
  using Sizes = std::array<int64_t, 3>;
  for (const auto& [rows, inner, columns] : {Sizes{8, 24, 16}, Sizes{40, 20, 16}, Sizes{40, 24, 12}}) {
    EXPECT_FALSE(
        fp16_gemm(rows, inner, columns).lower().dispatch().shader.starts_with("matmul_cooperative_matrix"));
  }
}

TEST(LowerCooperativeMatrix, AreOfFp16Alone) {
  LoweredNode node(Op::matmul);
  node.input({40, 24}).input({24, 16}).output({40, 16});
  node.plan.matrices.fp16 = {16, 16, 16};
  node.plan.max_group_invocations = 256;
  node.plan.max_shared_bytes = 49152;
  EXPECT_FALSE(node.lower().dispatch(0).shader.starts_with("matmul_cooperative_matrix"));
}

TEST(LowerCooperativeMatrix, BringWindowsOfConvolutionsThemselves) {
  LoweredNode node(Op::conv2d);
  node.input({1, 10, 10, 16}, DType::f16, {}, Format::nhwc).input({32, 3, 3, 16}, DType::f16);
  node.input({32}, DType::f16).output({1, 8, 8, 32}, DType::f16);
  node.plan.fp16_storage = true;
  node.plan.matrices.fp16 = {16, 16, 16};
  node.plan.max_group_invocations = 256;
  node.plan.max_shared_bytes = 49152;
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "conv2d_cooperative_matrix_small");
  EXPECT_EQ(sink.dispatch().fp16_bindings, 0b1100u);
}

// A convolution with constant weights on a device with cooperative matrices.
LoweredNode fp16_convolution(int64_t in, int64_t out) {
  LoweredNode node(Op::conv2d);
  node.input({1, 9, 10, in}, DType::f16, {}, Format::nhwc).fp16_input({out, 3, 5, in});
  node.input({out}, DType::f16).output({1, 7, 6, out}, DType::f16);
  node.plan.fp16_storage = true;
  node.plan.matrices.fp16 = {16, 16, 16};
  node.plan.max_group_invocations = 256;
  node.plan.max_shared_bytes = 49152;
  return node;
}

TEST(LowerCooperativeMatrix, ReadAnyChannelsOfConvolutionsOneByOne) {
  const RecordingSink sink = fp16_convolution(3, 20).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  const vulkan::Dispatch& dispatch = sink.dispatch();
  EXPECT_TRUE(dispatch.shader.starts_with("conv2d_cooperative_matrix_im2col"));
  EXPECT_EQ(dispatch.fp16_bindings, 0b11101u);  // everything but the weights
  EXPECT_EQ(push_words(dispatch, 0, 11), (std::vector<uint32_t>{42, 7, 6, 9, 10, 3, 3, 3, 1, 20, 1}));
  // 45 values are padded to six vectors.
  EXPECT_EQ(sink.constants.at("operand 1 fp16 lines").size(), 20u * 48 * 2);
}

TEST(LowerCooperativeMatrix, RefusesUnalignedOutputChannels) {
  EXPECT_EQ(fp16_convolution(16, 24).lower().dispatch().shader, "conv2d_cooperative_matrix_small");
  EXPECT_FALSE(fp16_convolution(3, 18).lower().dispatch().shader.starts_with("conv2d_cooperative_matrix"));
}

}  // namespace
}  // namespace nnrt::test
