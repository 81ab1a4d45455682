// Tiles are as large as possible while every core has enough of them.
#include "backends/vulkan/lower/gemm/shared_tiles.h"

#include "tests/support/lowered_node.h"

#include <algorithm>

namespace nnrt::test {
namespace {

using vulkan::Size3;

LoweredNode product(int64_t rows, int64_t inner, int64_t columns, uint32_t cores = 132) {
  LoweredNode node(Op::matmul);
  node.input({rows, inner}).input({inner, columns}).output({rows, columns});
  node.plan.max_group_invocations = 1024;
  node.plan.max_shared_bytes = 49152;
  node.plan.cores = cores;
  return node;
}

// Rows, columns and squares per invocation, from the shader's constants.
std::vector<uint32_t> tile_of(const RecordingSink& sink, size_t dispatch = 0) {
  const auto& constants = sink.dispatch(dispatch).constants;
  return {constants.begin() + 3, constants.end()};
}

using Words = std::vector<uint32_t>;
const Words kLargest{128, 128, 2, 2}, kLarge{64, 128, 2, 2}, kMedium{64, 64, 2, 1}, kSmall{32, 32, 1, 1};

TEST(SharedTiles, AreLargeWhereThereAreManyOfThem) {
  EXPECT_EQ(tile_of(product(4096, 4096, 4096).lower()), kLargest);
  EXPECT_EQ(tile_of(product(1024, 1024, 1024).lower()), kMedium);
  EXPECT_EQ(tile_of(product(512, 512, 512).lower()), kSmall);
  EXPECT_EQ(tile_of(product(512, 512, 512, 4).lower()), kLargest);
}

TEST(SharedTiles, FitIntoWorkgroupsAndTheirMemory) {
  LoweredNode node = product(4096, 64, 4096);
  node.plan.max_shared_bytes = 32768;
  EXPECT_EQ(tile_of(node.lower()), kLargest);
  node.plan.max_shared_bytes = 32767;
  EXPECT_EQ(tile_of(node.lower()), kMedium);
  node.plan.max_shared_bytes = 16384;
  EXPECT_EQ(tile_of(node.lower()), kSmall);
  node.plan.max_shared_bytes = 49152;
  node.plan.max_group_invocations = 128;
  EXPECT_EQ(tile_of(node.lower()), kMedium);
}

TEST(SharedTiles, DoNotSpillRegisters) {
  LoweredNode node = product(4096, 64, 4096);
  for (const char* other : {"tile_128x128", "tile_64x64"}) node.plan.kernels.forbid(other);
  EXPECT_EQ(tile_of(node.lower()), kLarge);
  node.plan.max_registers = 128;
  EXPECT_EQ(tile_of(node.lower()), kSmall);
}

TEST(SharedTiles, OfConvolutionsNeedMoreRegisters) {
  LoweredNode node(Op::conv2d);
  node.input({1, 64, 64, 64}).floats({128, 1, 1, 64}, std::vector<float>(128 * 64)).input({128});
  node.output({1, 64, 64, 128});
  node.plan = product(1, 1, 1, 64).plan;
  node.plan.kernels.force("shared_memory_tile");
  const auto chooses = [&](std::string_view tile) {
    const RecordingSink sink = node.lower();
    return std::ranges::find(sink.choices, tile, &KernelChoice::name) != sink.choices.end();
  };
  EXPECT_TRUE(chooses("tile_64x64"));
  node.plan.max_registers = 128;
  EXPECT_TRUE(chooses("tile_32x32"));
}

TEST(SharedTiles, CoverTheResultByWorkgroups) {
  const RecordingSink sink = product(1000, 1024, 1000).lower();
  EXPECT_EQ(sink.dispatch(0).shader, "pack_weights_f32");  // pads columns to whole vectors
  EXPECT_EQ(tile_of(sink, 1), kMedium);
  EXPECT_EQ(sink.dispatch(1).local, (Size3{128, 1, 1}));
  EXPECT_EQ(sink.dispatch(1).threads, (Size3{16 * 16 * 128, 1, 1}));
}

TEST(SharedTiles, SplitLongKIfTilesAreFew) {
  const RecordingSink sink = product(64, 4608, 512).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(tile_of(sink), kMedium);
  EXPECT_EQ(sink.dispatch(0).threads, (Size3{8 * 128, 1, 16}));
  EXPECT_EQ(push_word(sink.dispatch(0), 2), 288u);  // K elements per split
  EXPECT_EQ(sink.scratches[0], 16u * 64 * 512 * 4);
  EXPECT_EQ(sink.dispatch(1).shader, "add_parts_f32_vec4");
  EXPECT_EQ(sink.dispatch(1).threads[0], 64u * 512 / 4);
  EXPECT_EQ(product(64, 4608, 512, 4).lower().commands.size(), 1u);
  EXPECT_EQ(product(64, 128, 512).lower().commands.size(), 1u);
}

// Ten tiles of sixty K slices each, as in the last layers of small networks.
TEST(SharedTiles, SplitMediumKIfTilesAreVeryFew) {
  const RecordingSink sink = product(49, 960, 160).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).threads, (Size3{10 * 64, 1, 8}));
}

// Splits are of equal length, so a K of 1033 is not split.
TEST(SharedTiles, LeaveAPrimeInnerDimensionWhole) {
  LoweredNode node = product(64, 1033, 512);
  node.plan.kernels.force("split_k");
  const RecordingSink sink = node.lower();
  EXPECT_EQ(sink.dispatch(sink.commands.size() - 1).threads[2], 1u);
}

TEST(SharedTiles, ShareTheStepsOfAConvolution) {
  LoweredNode node(Op::conv2d);
  node.input({1, 7, 7, 512}).floats({512, 3, 3, 512}, std::vector<float>(512 * 9 * 512)).input({512});
  node.integer(Attr::pad, {1, 1, 1, 1}).output({1, 7, 7, 512}).step(Op::relu);
  node.plan.max_group_invocations = 1024;
  node.plan.max_shared_bytes = 49152;
  node.plan.cores = 132;
  node.plan.kernels.forbid("winograd4");
  node.plan.kernels.forbid("winograd2");
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "conv2d_shared_memory_f32_vec4");
  EXPECT_EQ(sink.dispatch(0).threads[2], 16u);
  EXPECT_EQ(sink.dispatch(1).shader, "add_parts_f32_vec4");
  EXPECT_EQ(push_word<float>(sink.dispatch(1), 8), 0.0F);  // the lower limit
}

TEST(SharedTiles, ObeyTheSwitch) {
  LoweredNode node = product(4096, 64, 4096);
  node.plan.kernels.force("tile_64x64");
  EXPECT_EQ(tile_of(node.lower()), kMedium);
  for (const std::string_view name : {"tile_128x128", "tile_64x128", "tile_64x64", "tile_32x32"})
    node.plan.kernels.forbid(name);
  RecordingSink sink;
  EXPECT_EQ(node.try_lower(sink).error().message,
            "NNRT_VULKAN_KERNELS forbids every kernel that supports it.");
}

std::vector<std::string> chosen(const RecordingSink& sink) {
  std::vector<std::string> names;
  for (const KernelChoice& choice : sink.choices) names.push_back(choice.name);
  return {names.end() - 3, names.end()};  // source, tile, split-K
}
using Names = std::vector<std::string>;

void measure(LoweredNode& node, const vulkan::TileClass& of, const vulkan::TileOption& option) {
  node.plan.measured_tiles =
      std::make_shared<const vulkan::MeasuredTiles>(vulkan::MeasuredTiles{{of, option}});
}

TEST(SharedTiles, AreThoseThatWereMeasured) {
  LoweredNode node = product(128, 768, 3072);
  EXPECT_EQ(chosen(node.lower()), (Names{"estimated_tiles", "tile_32x32", "unsplit_k"}));
  measure(node, {.rows = 7, .columns = 12, .inner = 10}, {"tile_64x128", 2});
  const RecordingSink sink = node.lower();
  EXPECT_EQ(chosen(sink), (Names{"measured_tiles", "tile_64x128", "split_k"}));
  EXPECT_EQ(tile_of(sink), kLarge);
  EXPECT_EQ(push_word(sink.dispatch(0), 2), 384u);  // K elements per split
  measure(node, {.is_convolution = true, .rows = 7, .columns = 12, .inner = 10}, {"tile_64x128", 2});
  EXPECT_EQ(chosen(node.lower())[0], "estimated_tiles");
}

TEST(SharedTiles, AreEstimatedWhereMeasuredOnesDoNotFit) {
  LoweredNode node = product(128, 768, 3072);
  const vulkan::TileClass of{.rows = 7, .columns = 12, .inner = 10};
  measure(node, of, {"tile_of_another_release", 1});
  EXPECT_EQ(chosen(node.lower())[0], "estimated_tiles");
  measure(node, of, {"tile_128x128", 1});
  node.plan.max_group_invocations = 128;
  EXPECT_EQ(chosen(node.lower())[0], "estimated_tiles");
  node.plan.max_group_invocations = 1024;
  EXPECT_EQ(chosen(node.lower())[0], "measured_tiles");
  node.plan.kernels.force("tile_32x32");
  EXPECT_EQ(chosen(node.lower()), (Names{"estimated_tiles", "tile_32x32", "unsplit_k"}));
}

// Neither a K that has no equal splits nor several matrices are split.
TEST(SharedTiles, AreCutOnlyWhereThatIsPossible) {
  LoweredNode node = product(64, 1033, 512);
  measure(node, {.rows = 6, .columns = 9, .inner = 11}, {"tile_32x32", 4});
  EXPECT_EQ(chosen(node.lower()), (Names{"measured_tiles", "tile_32x32", "unsplit_k"}));
}

TEST(SharedTiles, AreKnownOfALargeGpu) {
  LoweredNode node = product(1024, 1024, 1024);
  node.plan.vendor_id = 0x10de;
  EXPECT_EQ(chosen(node.lower()), (Names{"known_tiles", "tile_64x64", "unsplit_k"}));
  measure(node, {.rows = 10, .columns = 10, .inner = 10}, {"tile_64x128", 1});
  EXPECT_EQ(chosen(node.lower()), (Names{"measured_tiles", "tile_64x128", "unsplit_k"}));
  node.plan.cores = 80;
  node.plan.measured_tiles = nullptr;
  EXPECT_EQ(chosen(node.lower())[0], "estimated_tiles");
}

TEST(SharedTiles, AreOfferedForMeasuring) {
  const RecordingSink sink = product(64, 4608, 512).lower();
  ASSERT_EQ(sink.tiles.size(), 1u);
  EXPECT_EQ(sink.tiles[0].of, (vulkan::TileClass{.rows = 6, .columns = 9, .inner = 13}));
  const std::vector<vulkan::TileOption>& options = sink.tiles[0].options;
  EXPECT_EQ(options[0], (vulkan::TileOption{"tile_64x64", 16}));  // the lists' choice
  for (const vulkan::TileOption& wanted :
       {vulkan::TileOption{"tile_128x128", 1}, {"tile_64x64", 4}, {"tile_32x32", 1}})
    EXPECT_EQ(std::ranges::count(options, wanted), 1) << wanted.tile << " in " << wanted.splits;
  EXPECT_EQ(std::ranges::count(options, options[0]), 1);

  LoweredNode small = product(4096, 64, 4096);
  small.plan.max_group_invocations = 128;
  const RecordingSink of_small_groups = small.lower();
  for (const vulkan::TileOption& option : of_small_groups.tiles.at(0).options) {
    EXPECT_NE(option.tile, "tile_128x128");
    EXPECT_EQ(option.splits, 1u);
  }
  small.plan.kernels.force("tile_32x32");
  EXPECT_TRUE(small.lower().tiles.empty());
}

}  // namespace
}  // namespace nnrt::test
