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

// Calls compute(parts, tap_rows, count, row, panel, row_notes) for each block of rows and each panel, from
// several threads: parts[tap * tap_rows + r] is where that part of row `row` + r begins, for r < count. Where
// they lie tells locate(begin, count, tap_rows, parts, memory), block after block of tap_rows rows, which may
// write rows into `memory`, locate.bytes(count) bytes. Once for each block located note(parts, tap_rows,
// count, row_notes) may write a number for each of its rows.
template <typename T, typename Locate, typename Note, typename Compute>
void for_tiles(const KernelArgs& args, const TiledProduct& product, const TileBlock& block,
               const Locate& locate, const Note& note, const Compute& compute) {
  const int64_t panels = divide_up(product.columns, block.columns);
  const Tiles tiles = tiles_of(product, block, args.pool.threads());
  const int64_t tap_rows = tiles.block_rows;
  const int64_t padded_rows = divide_up(tiles.rows, tap_rows) * tap_rows;
  const int64_t part_bytes = padded_rows * product.taps * int64_t(sizeof(T*));
  const int64_t note_bytes = padded_rows * int64_t(sizeof(int32_t));
  const int64_t scratch_bytes = part_bytes + note_bytes + locate.bytes(tiles.rows);
  args.scratch->reserve(args.pool.threads(), size_t(scratch_bytes));
  args.pool.parallel_for(
      tiles.row_tiles * tiles.chunks, tiles.grain, [&](int64_t begin, int64_t end, unsigned worker) {
        std::byte* const scratch = args.scratch->of_worker(worker, size_t(scratch_bytes));
        auto* const parts = reinterpret_cast<const T**>(scratch);
        auto* const notes = reinterpret_cast<int32_t*>(scratch + part_bytes);
        auto* const memory = reinterpret_cast<T*>(scratch + part_bytes + note_bytes);
        int64_t located = -1;
        for (int64_t task = begin; task < end; ++task) {
          const int64_t row = task / tiles.chunks * tiles.rows;
          const int64_t rows = std::min(tiles.rows, product.rows - row);
          if (row != located) {
            locate(row, rows, tap_rows, parts, memory);
            for (int64_t r = 0; r < rows; r += tap_rows)
              note(parts + r * product.taps, tap_rows, int(std::min(tap_rows, rows - r)), notes + r);
            located = row;
          }
          const int64_t first = task % tiles.chunks * tiles.panels;
          for (int64_t panel = first; panel < std::min(first + tiles.panels, panels); ++panel)
            for (int64_t r = 0; r < rows; r += tap_rows)
              compute(parts + r * product.taps, tap_rows, int(std::min(tap_rows, rows - r)), row + r, panel,
                      notes + r);
        }
      });
}

}  // namespace nnrt::cpu
