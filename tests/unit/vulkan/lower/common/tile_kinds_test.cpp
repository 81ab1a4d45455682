// The tile kinds of GEMMs and convolutions, and how they are split if views are small.
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

// A device with views of this many texels and faster texel reads.
void limit_views(LoweredNode& node, uint64_t texels) {
  node.plan.is_software = true;
  node.plan.quad_operations = true;
  node.plan.max_texels = texels;
  node.plan.storage_alignment = 256;
}

// The part of a buffer that a dispatch reads, in texels.
std::pair<uint64_t, uint64_t> part(const vulkan::Dispatch& dispatch, size_t buffer) {
  const vulkan::Slice& slice = dispatch.slices.at(buffer);
  return {slice.offset / 16, slice.bytes / 16};
}

TEST(TexelBuffer, CopiesBlocksOfColumnsThatManyRowsRead) {
  LoweredNode many(Op::matmul);
  limit_views(many, 65536);
  const RecordingSink sink = many.input({2, 128, 256}).input({2, 256, 128}).output({2, 128, 128}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_TRUE(sink.dispatch(0).shader.starts_with("copy"));
  EXPECT_EQ(sink.dispatch(0).buffers[0].id, 1u);
  EXPECT_EQ(sink.dispatch(1).buffers[1], sink.dispatch(0).buffers[1]);
  EXPECT_EQ(push_word(sink.dispatch(1), 5), 256u * 4);    // block stride
  EXPECT_EQ(push_word(sink.dispatch(1), 6), 4u);          // step stride
  EXPECT_EQ(push_word(sink.dispatch(1), 12), 256u * 32);  // matrix stride
  LoweredNode few(Op::matmul);
  limit_views(few, 65536);
  few.input({2, 112, 256}).input({2, 256, 128}).output({2, 112, 128});
  EXPECT_EQ(few.lower().commands.size(), 1u);
  LoweredNode small(Op::matmul);
  limit_views(small, 65536);
  EXPECT_EQ(small.input({128, 128}).input({128, 128}).output({128, 128}).lower().commands.size(), 1u);
}

TEST(TexelBuffer, ReadsOperandsWholeWhereTheDeviceShowsThem) {
  LoweredNode node(Op::matmul);
  limit_views(node, 65536);
  const RecordingSink sink = node.input({512, 512}).input({512, 512}).output({512, 512}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(1).shader, "matmul_f32_vec4_texels");
  EXPECT_EQ(sink.dispatch(1).slices, (std::vector<vulkan::Slice>(2)));
  EXPECT_EQ(sink.dispatch(1).threads, (vulkan::Size3{32 * 32 * 4, 1, 1}));  // four invocations per 16x16 tile
}

// The input has 64 rows of 16 x 2 texels.
TEST(TexelBuffer, SplitsDepthwiseIntoFittingRowTiles) {
  LoweredNode node(Op::depthwise_conv2d_native);
  limit_views(node, 1024);  // 31 rows; alignment costs 16 texels
  node.input({1, 64, 16, 8}).floats({8, 3, 3, 1}, std::vector<float>(72)).input({8});
  node.integer(Attr::pad, {1, 1, 1, 1});
  const RecordingSink sink = node.output({1, 64, 16, 8}).lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  // Seven chunks of 4 rows and the rows around them.
  EXPECT_EQ(sink.dispatch(0).shader, "depthwise_rows_f32_vec4_texels");
  EXPECT_EQ(sink.dispatch(0).threads[0], 7u * 4 * 2);
  EXPECT_EQ(part(sink.dispatch(0), 0), std::pair(uint64_t(0), uint64_t(29 * 32)));
  EXPECT_EQ(part(sink.dispatch(1), 0), std::pair(uint64_t(27 * 32), uint64_t(30 * 32)));
  EXPECT_EQ(push_word(sink.dispatch(1), 0), 7u);
  EXPECT_EQ(push_word(sink.dispatch(1), 1), 14u);
  EXPECT_EQ(push_word(sink.dispatch(1), 3), 27u * 32);
}

TEST(TexelBuffer, SplitsGemmIntoFittingBlocks) {
  LoweredNode node(Op::matmul);
  limit_views(node, 1024);  // 62 rows of 16 texels, 3 blocks of 256; alignment costs 16
  node.input({100, 64}).floats({64, 64}, std::vector<float>(64 * 64)).output({100, 64});
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(part(sink.dispatch(0), 0), std::pair(uint64_t(0), uint64_t(48 * 16)));
  EXPECT_EQ(part(sink.dispatch(1), 0), std::pair(uint64_t(48 * 16), uint64_t(48 * 16)));
  EXPECT_EQ(sink.dispatch(1).slices[1], vulkan::Slice{});
}

TEST(TexelBuffer, AlignsSlicesAndSkipsToTheFirstRow) {
  LoweredNode node(Op::matmul);
  limit_views(node, 100);
  node.plan.storage_alignment = 512;  // 32 texels
  node.input({40, 12}).floats({12, 16}, std::vector<float>(12 * 16)).output({40, 16});
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  constexpr size_t kRows = 0, kLeftOffset = 14, kOutputOffset = 16;
  EXPECT_EQ(push_word(sink.dispatch(0), kRows), 16u);
  EXPECT_EQ(part(sink.dispatch(1), 0), std::pair(uint64_t(32), uint64_t(64)));
  EXPECT_EQ(push_word(sink.dispatch(1), kLeftOffset), 16u * 3 - 32);
  EXPECT_EQ(push_word(sink.dispatch(1), kOutputOffset), 16u * 16);
}

TEST(TexelBuffer, SplitsConvolutionByRows) {
  LoweredNode node(Op::conv2d);
  limit_views(node, 176);  // the weights take 144; 160 of a part of the input are visible
  node.input({1, 16, 8, 4}).floats({4, 3, 3, 4}, std::vector<float>(144)).input({4});
  node.integer(Attr::pad, {1, 1, 1, 1}).output({1, 16, 8, 4});
  EXPECT_EQ(node.lower().commands.size(), 1u);

  LoweredNode large(Op::conv2d);
  limit_views(large, 176);  // 20 rows of 8 texels
  large.input({1, 32, 8, 4}).floats({4, 3, 3, 4}, std::vector<float>(144)).input({4});
  large.integer(Attr::pad, {1, 1, 1, 1}).output({1, 32, 8, 4});
  const RecordingSink sink = large.lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  constexpr size_t kEnd = 0, kFirst = 17;
  EXPECT_EQ(push_word(sink.dispatch(0), kEnd), 19u * 8);
  EXPECT_EQ(push_word(sink.dispatch(1), kFirst), 19u * 8);
  EXPECT_EQ(part(sink.dispatch(0), 0), std::pair(uint64_t(0), uint64_t(160)));
  EXPECT_EQ(part(sink.dispatch(1), 0), std::pair(uint64_t(144), uint64_t(112)));
}

TEST(TileKinds, UseStorageBuffersForLargeSlices) {
  LoweredNode node(Op::matmul);
  limit_views(node, 1024);
  node.input({8, 4096}).floats({4096, 16}, std::vector<float>(4096 * 16)).output({8, 16});
  EXPECT_EQ(node.lower().dispatch().shader, "matmul_f32_vec4");
}

TEST(Subgroup8, ComputesTwoColumnBlocksPerGroup) {
  LoweredNode node(Op::matmul);
  limit_views(node, 65536);
  node.plan.shuffled = 8;
  const RecordingSink sink = node.input({20, 512}).input({512, 48}).output({20, 48}).lower();
  EXPECT_EQ(sink.dispatch().shader, "matmul_f32_vec4_subgroup8");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{2 * 2 * 8, 1, 1}));

  LoweredNode grouped(Op::conv2d);
  limit_views(grouped, 65536);
  grouped.plan.shuffled = 8;
  grouped.input({1, 7, 7, 12}).floats({144, 3, 3, 4}, std::vector<float>(144 * 36)).input({144});
  grouped.integer(Attr::group, {3}).output({1, 5, 5, 144});
  const RecordingSink tiles = grouped.lower();
  EXPECT_EQ(tiles.dispatch().shader, "conv2d_f32_vec4_subgroup8");
  EXPECT_EQ(tiles.dispatch().threads, (vulkan::Size3{2 * 3 * 2 * 8, 1, 1}));
}

TEST(Subgroup8, AreForOperandsThatTheDeviceShowsWhole) {
  LoweredNode node(Op::matmul);
  limit_views(node, 1024);
  node.plan.shuffled = 8;
  node.input({100, 64}).floats({64, 64}, std::vector<float>(64 * 64)).output({100, 64});
  EXPECT_EQ(node.lower().dispatch(0).shader, "matmul_f32_vec4_texels");
}

TEST(TileKinds, UseStorageBuffersWithoutShuffles) {
  LoweredNode node(Op::matmul);
  limit_views(node, 65536);
  node.plan.quad_operations = false;
  node.input({16, 16}).input({16, 16}).output({16, 16});
  EXPECT_EQ(node.lower().dispatch().shader, "matmul_f32_vec4");
}

TEST(TileKinds, AreForcedByName) {
  LoweredNode node(Op::matmul);
  limit_views(node, 65536);
  node.plan.kernels.force("register_tile");
  EXPECT_EQ(node.input({16, 16}).input({16, 16}).output({16, 16}).lower().dispatch().shader,
            "matmul_f32_vec4");
}

TEST(SharedMemoryTile, IsForGpusWhoseWorkgroupsAreLargeEnough) {
  const auto shader = [](bool is_software, uint32_t invocations, int64_t rows) {
    LoweredNode node(Op::matmul);
    node.plan.is_software = is_software;
    node.plan.max_group_invocations = invocations;
    return std::string(node.input({rows, 8}).input({8, 32}).output({rows, 32}).lower().dispatch().shader);
  };
  EXPECT_EQ(shader(false, 256, 16), "matmul_shared_memory_f32_vec4");
  EXPECT_EQ(shader(false, 128, 16), "matmul_shared_memory_f32_vec4");
  EXPECT_EQ(shader(false, 64, 16), "matmul_f32_vec4");
  EXPECT_EQ(shader(true, 256, 16), "matmul_f32_vec4");
  EXPECT_EQ(shader(false, 64, 3), "matmul_f32_vec4_row");
}

TEST(SharedMemoryTile, RunsOneGroupPerTileAndChannelGroup) {
  LoweredNode node(Op::conv2d);
  node.plan.max_group_invocations = 256;
  node.plan.max_shared_bytes = 49152;
  node.plan.kernels.force("tile_64x64");
  node.input({1, 12, 10, 8}).floats({144, 3, 3, 4}, std::vector<float>(144 * 36)).input({144});
  const RecordingSink sink = node.integer(Attr::group, {2}).output({1, 10, 8, 144}).lower();
  EXPECT_EQ(sink.dispatch().shader, "conv2d_shared_memory_f32_vec4");
  // 80 pixels are two tiles; a group's 72 channels are one tile of 64 and one of 8.
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{2 * 2 * 2 * 128, 1, 1}));
  EXPECT_EQ(sink.dispatch().local, (vulkan::Size3{128, 1, 1}));
}

}  // namespace
}  // namespace nnrt::test
