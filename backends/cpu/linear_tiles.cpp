#include "backends/cpu/linear_tiles.h"

namespace nnrt::cpu {

Tiles tiles_of(const TiledProduct& product, const TileBlock& block, unsigned threads) {
  constexpr int64_t kTileBytes = 192 * 1024;  // of rows: they stay in the second-level cache
  constexpr int64_t kMostRows = 128;
  constexpr int64_t kTasksPerThread = 4;
  constexpr int64_t kGrain = 256 * 1024;  // products
  const int64_t panels = divide_up(product.columns, block.columns);
  const int64_t tasks = threads == 1 ? 1 : threads * kTasksPerThread;
  const auto whole_blocks = [&](int64_t rows) { return divide_up(rows, block.rows) * block.rows; };
  const int64_t even = whole_blocks(divide_up(product.rows, tasks));
  const int64_t most =
      std::clamp(kTileBytes / block.row_bytes / block.rows * block.rows, block.rows, whole_blocks(kMostRows));
  Tiles tiles{};
  // Many panels are shared among the threads rather than few rows.
  tiles.rows = std::min(panels >= tasks ? whole_blocks(product.rows) : even, most);
  tiles.row_tiles = divide_up(product.rows, tiles.rows);
  tiles.chunks = std::min(divide_up(tasks, tiles.row_tiles), panels);
  tiles.panels = divide_up(panels, tiles.chunks);
  tiles.chunks = divide_up(panels, tiles.panels);
  const int64_t work = std::min(tiles.rows, product.rows) *
                       std::min(tiles.panels * block.columns, product.columns) * product.inner();
  tiles.grain = divide_up(kGrain, std::max<int64_t>(work, 1));
  return tiles;
}

}  // namespace nnrt::cpu
