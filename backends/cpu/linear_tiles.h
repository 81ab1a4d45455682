// The rows of a product of matrices, in tiles that the threads share.
#pragma once

#include "backends/cpu/kernel.h"

#include <algorithm>

namespace nnrt::cpu {

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Rows times the weights of `groups` groups, with `columns` output channels
// each.
struct TiledProduct {
  int64_t rows = 0, groups = 1, columns = 0;
  int64_t taps = 1,
          tap_elements = 0;  // a row is so many parts of so many elements
  int64_t row_elements = 0;  // that a row brings to the caches; parts may be those of neighbours too
  bool has_bias = false;
  bool columns_first = true;  // weights are [columns][taps][tap_elements],
                              // otherwise [tap_elements][columns]

  int64_t inner() const { return taps * tap_elements; }
  int64_t channels() const { return groups * columns; }
};

// What the innermost loops take at once, and how many bytes of a row they read.
struct TileBlock {
  int64_t rows, columns, row_bytes, element_bytes;
};

struct Tiles {
  int64_t rows, row_tiles;  // of a tile; tiles
  int64_t block_rows;       // of a block in a tile: all about the same
  int64_t panels,
      chunks;     // a task is one tile of rows with so many panels of columns
  int64_t grain;  // tasks worth a thread
};
Tiles tiles_of(const TiledProduct& product, const TileBlock& block, unsigned threads);

// A task: so many rows and panels from the first ones on.
struct Tile {
  int64_t row, rows, block_rows;
  int64_t panel, panels;
  int64_t column, columns;  // of the panels
};

// Calls compute(tile, parts, notes) for all tiles, from several threads: parts[tap * block_rows + r] is where
// that part of row r begins, for the first block of block_rows rows; the other blocks follow. Where they lie
// tells locate(begin, count, block_rows, parts, memory), which may write rows into `memory`,
// locate.bytes(count) bytes; rows that lie evenly have no parts. Once for each block located note(parts,
// block_rows, count, block_notes) may write a number for each of its rows.
template <typename T, typename Locate, typename Note, typename Compute>
void for_tiles(const KernelArgs& args, const TiledProduct& product, const TileBlock& block,
               const Locate& locate, const Note& note, const Compute& compute) {
  const int64_t panels = divide_up(product.columns, block.columns);
  const Tiles tiles = tiles_of(product, block, args.pool.threads());
  const bool has_parts = !locate.lies_evenly();
  const int64_t part_bytes = has_parts ? tiles.rows * product.taps * int64_t(sizeof(T*)) : 0;
  const int64_t note_bytes = tiles.rows * int64_t(sizeof(int32_t));
  const int64_t scratch_bytes = part_bytes + note_bytes + (has_parts ? locate.bytes(tiles.rows) : 0);
  args.scratch->reserve(args.pool.threads(), size_t(scratch_bytes));
  args.pool.parallel_for(
      tiles.row_tiles * tiles.chunks, tiles.grain, [&](int64_t begin, int64_t end, unsigned worker) {
        std::byte* const scratch = args.scratch->of_worker(worker, size_t(scratch_bytes));
        auto* const parts = reinterpret_cast<const T**>(scratch);
        auto* const notes = reinterpret_cast<int32_t*>(scratch + part_bytes);
        auto* const memory = reinterpret_cast<T*>(scratch + part_bytes + note_bytes);
        int64_t located = -1;
        for (int64_t task = begin; task < end; ++task) {
          Tile tile{};
          tile.row = task / tiles.chunks * tiles.rows;
          tile.rows = std::min(tiles.rows, product.rows - tile.row);
          tile.block_rows = tiles.block_rows;
          if (tile.row != located && has_parts) {
            locate(tile.row, tile.rows, tile.block_rows, parts, memory);
            for (int64_t r = 0; r < tile.rows; r += tile.block_rows)
              note(parts + r * product.taps, tile.block_rows, int(std::min(tile.block_rows, tile.rows - r)),
                   notes + r);
          }
          located = tile.row;
          tile.panel = task % tiles.chunks * tiles.panels;
          tile.panels = std::min(tiles.panels, panels - tile.panel);
          tile.column = tile.panel * block.columns;
          tile.columns = std::min(tile.panels * block.columns, product.columns - tile.column);
          compute(tile, has_parts ? parts : nullptr, notes);
        }
      });
}

}  // namespace nnrt::cpu
