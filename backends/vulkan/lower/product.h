// Matrix products on the GPU: MATMUL, FULL_CONNECTION, convolutions that are one, and LSTM's of its input.
#pragma once

#include "backends/vulkan/lower/finish.h"
#include "backends/vulkan/lower/paths.h"
#include "backends/vulkan/lowering.h"
#include "core/geometry.h"

namespace nnrt::vulkan {

inline constexpr uint32_t kTileColumns = 16;

// Rows of a tile, blocks of columns, and invocations that compute it.
struct Tile {
  uint32_t rows = 0, blocks = 1, invocations = 1;

  // Tiles for so many rows, and for so many blocks.
  uint32_t down(uint32_t of_rows) const { return (of_rows - 1) / rows + 1; }
  uint32_t across(uint32_t of_blocks) const { return (of_blocks - 1) / blocks + 1; }
};
inline constexpr Tile kOwnTile{8}, kRowTile{1}, kQuadTile{16, 1, 4}, kOctetTile{16, 2, kOctet};

// The tile of a path's kernel for fours.
constexpr Tile tile_for(PathId path) {
  if (path == PathId::octets) return kOctetTile;
  return path == PathId::formatted ? kQuadTile : kOwnTile;
}

// Input 0, or what is in its place, times matrices of input 1, plus a bias for each column if there is one.
struct Product {
  MatMul shape;
  Buffer output;
  std::optional<Buffer> bias = {};
  Finish finish = {};
  std::optional<Buffer> left = {};
  // Matrices in fours, kTileColumns columns wide (lower/fours.h), in the place of input 1.
  std::optional<Buffer> right = {};
  uint32_t first = 0;  // of the matrices of input 1
};
Status add_product(const LoweringContext& context, const Product& product);

// Where its rows go: as those of the node (lower/finish.h), if they are all of the node's results.
Placement placement_of(const LoweringContext& context, const Product& product);

// Adds a dispatch of a grid with no y that does not spill: neighbours in x form its groups.
Status add_line(const LoweringContext& context, Dispatch dispatch);
// The same in groups of so many.
Status add_groups(const LoweringContext& context, Dispatch dispatch, uint32_t invocations);

// Of a workgroup of the kernels that go by way of shared memory.
inline constexpr uint32_t kSharedRows = 64;
inline constexpr uint32_t kSharedBlocks = 4;
// Invocations for tiles of so many rows and blocks of kTileColumns columns.
constexpr uint32_t shared_threads(uint32_t rows, uint32_t blocks) {
  return ((rows - 1) / kSharedRows + 1) * ((blocks - 1) / kSharedBlocks + 1) * kSharedGroup;
}

}  // namespace nnrt::vulkan
