#include "backends/cpu/gemm/gemm_tiling.h"

namespace nnrt::cpu {

Tiles tiles_of(const GemmProblem& gemm, const TileBlock& block, unsigned threads) {
  constexpr int64_t kTileBytes = int64_t{512} * 1024;  // bytes of a tile's rows
  constexpr int64_t kMaxRows = 256;
  constexpr int64_t kTasksPerThread = 8;
  constexpr int64_t kGrain = int64_t{256} * 1024;  // products
  constexpr int64_t kWeight = 16;                  // products that take as long as loading one weight
  const auto work_of = [&](int64_t rows, int64_t columns) {
    return (rows + kWeight) * columns * gemm.inner();
  };
  if (work_of(gemm.rows, gemm.columns) < kGrain) threads = 1;
  const int64_t panels = divide_up(gemm.columns, block.columns);
  const int64_t tasks = threads == 1 ? 1 : threads * kTasksPerThread;
  const auto whole_blocks = [&](int64_t rows) { return round_up(rows, block.rows); };
  const int64_t even = whole_blocks(divide_up(gemm.rows, tasks));
  const int64_t max_rows =
      std::clamp(kTileBytes / block.row_bytes / block.rows * block.rows, block.rows, whole_blocks(kMaxRows));
  // If the rows are shared, each thread reads all weights; if the panels are shared, all rows. Split the
  // larger one so that each part is read by a single thread.
  const int64_t weight_bytes = panels * block.columns * gemm.inner() * block.element_bytes;
  const bool shares_panels = panels >= int64_t(threads) && weight_bytes > gemm.rows * block.row_bytes;
  Tiles tiles{};
  int64_t rows = even;
  if (shares_panels) {
    constexpr int64_t kMinTasksPerThread = 3;
    const int64_t row_tiles = divide_up(threads * kMinTasksPerThread, panels);
    rows = whole_blocks(divide_up(gemm.rows, row_tiles));
  }
  tiles.rows = std::min(rows, max_rows);
  tiles.row_tiles = divide_up(gemm.rows, tiles.rows);
  if (shares_panels) tiles.rows = whole_blocks(divide_up(gemm.rows, tiles.row_tiles));
  // Short blocks are inefficient, so make all blocks about equally long.
  rows = std::min(tiles.rows, gemm.rows);
  tiles.block_rows = divide_up(rows, divide_up(rows, block.rows));
  tiles.rows = round_up(rows, tiles.block_rows);
  tiles.row_tiles = divide_up(gemm.rows, tiles.rows);
  tiles.chunks = std::min(divide_up(tasks, tiles.row_tiles), panels);
  tiles.panels = divide_up(panels, tiles.chunks);
  tiles.chunks = divide_up(panels, tiles.panels);
  const int64_t work = work_of(rows, std::min(tiles.panels * block.columns, gemm.columns));
  tiles.grain = divide_up(kGrain, std::max<int64_t>(work, 1));
  return tiles;
}

GroupTiles group_tiles(int64_t rows, int64_t block_rows, int64_t groups, unsigned threads) {
  constexpr int64_t kMaxBlocks = 8, kTasksPerThread = 4;
  const int64_t tasks = threads == 1 ? 1 : threads * kTasksPerThread;
  GroupTiles tiles{};
  tiles.block_rows = std::min(block_rows, rows);
  const int64_t blocks = divide_up(divide_up(rows, block_rows), tasks);
  tiles.rows = std::clamp<int64_t>(blocks, 1, kMaxBlocks) * tiles.block_rows;
  tiles.row_tiles = divide_up(rows, tiles.rows);
  tiles.group_parts = std::min(divide_up(tasks, tiles.row_tiles), groups);
  tiles.groups = divide_up(groups, tiles.group_parts);
  tiles.group_parts = divide_up(groups, tiles.groups);
  return tiles;
}

}  // namespace nnrt::cpu
