// Where tiles come from: measurements, a table, or an estimate.
#include "backends/vulkan/lower/gemm/shared_tiles.h"

#include "tests/support/lowered_node.h"

#include <algorithm>

namespace nnrt::test {
namespace {

LoweredNode product(int64_t rows, int64_t inner, int64_t columns, uint32_t cores = 132) {
  LoweredNode node(Op::matmul);
  node.input({rows, inner}).input({inner, columns}).output({rows, columns});
  node.plan.max_group_invocations = 1024;
  node.plan.max_shared_bytes = 49152;
  node.plan.cores = cores;
  return node;
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

TEST(SharedTiles, UseMeasurements) {
  LoweredNode node = product(128, 768, 3072);
  EXPECT_EQ(chosen(node.lower()), (Names{"estimated_tiles", "tile_32x32", "unsplit_k"}));
  measure(node, {.rows = 7, .columns = 12, .inner = 10}, {"tile_64x64", 2});
  const RecordingSink sink = node.lower();
  EXPECT_EQ(chosen(sink), (Names{"measured_tiles", "tile_64x64", "split_k"}));
  EXPECT_EQ(push_word(sink.dispatch(0), 2), 384u);  // K elements per split
  measure(node, {.is_convolution = true, .rows = 7, .columns = 12, .inner = 10}, {"tile_64x64", 2});
  EXPECT_EQ(chosen(node.lower())[0], "estimated_tiles");
}

TEST(SharedTiles, FallBackToEstimates) {
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
TEST(SharedTiles, SplitKOnlyIfPossible) {
  LoweredNode node = product(64, 1033, 512);
  measure(node, {.rows = 6, .columns = 9, .inner = 11}, {"tile_32x32", 4});
  EXPECT_EQ(chosen(node.lower()), (Names{"measured_tiles", "tile_32x32", "unsplit_k"}));
}

TEST(SharedTiles, AreKnownOfALargeGpu) {
  LoweredNode node = product(1024, 1024, 1024);
  node.plan.vendor_id = 0x10de;
  EXPECT_EQ(chosen(node.lower()), (Names{"known_tiles", "tile_64x64", "unsplit_k"}));
  measure(node, {.rows = 10, .columns = 10, .inner = 10}, {"tile_128x128", 1});
  EXPECT_EQ(chosen(node.lower()), (Names{"measured_tiles", "tile_128x128", "unsplit_k"}));
  node.plan.cores = 80;
  node.plan.measured_tiles = nullptr;
  EXPECT_EQ(chosen(node.lower())[0], "estimated_tiles");
}

TEST(SharedTiles, AreListedForTuning) {
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
