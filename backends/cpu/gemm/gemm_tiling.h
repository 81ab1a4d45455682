// Splits the rows of a GEMM into tiles for the threads.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/simd/simd.h"

#include <algorithm>

namespace nnrt::cpu {

// Elements of a part that the microkernels consume at once. They read past the end of a part up to a multiple
// of this, and multiply by zero.
template <typename T>
inline constexpr int64_t kStep = 1;
template <>
inline constexpr int64_t kStep<int8_t> = 4;
template <typename T>
int64_t whole_steps(int64_t elements) {
  return round_up(elements, kStep<T>);
}

// Rows times the weights of `groups` groups with `columns` output channels each.
struct GemmProblem {
  int64_t rows = 0, groups = 1, columns = 0;
  int64_t missing = 0;  // columns that the last group lacks
  int64_t taps = 1,
          tap_elements = 0;  // a row has `taps` parts of `tap_elements` elements
  int64_t row_elements = 0;  // loaded into the cache per row; neighbors may share parts
  bool has_bias = false;
  bool columns_first = true;     // weights are [columns][taps][tap_elements],
                                 // otherwise [tap_elements][columns]
  int vectors = vector_bytes();  // FLOAT32: length of the panels' vectors in bytes

  int64_t inner() const { return taps * tap_elements; }
  int64_t channels() const { return groups * columns - missing; }
  int64_t columns_of(int64_t group) const { return columns - (group + 1 == groups ? missing : 0); }
};

// The microkernel's register block, and the bytes of a row it reads.
struct TileBlock {
  int64_t rows, columns, row_bytes, element_bytes;
};

struct Tiles {
  int64_t rows, row_tiles;  // rows per tile; number of tiles
  int64_t block_rows;       // rows of a block in a tile, roughly equal
  int64_t panels,
      chunks;     // a task is one tile of rows times `panels` panels of columns
  int64_t grain;  // tasks worth a thread
};
Tiles tiles_of(const GemmProblem& gemm, const TileBlock& block, unsigned threads);

// The same for groups of few columns: a task is a tile of rows and a range of groups.
struct GroupTiles {
  int64_t rows, row_tiles;      // rows per tile; number of tiles
  int64_t block_rows;           // rows of a register block
  int64_t groups, group_parts;  // groups per task; number of ranges
};
GroupTiles group_tiles(int64_t rows, int64_t block_rows, int64_t groups, unsigned threads);

// A task: a range of rows and panels.
struct Tile {
  int64_t row, rows, block_rows;
  int64_t panel, panels;
  int64_t column, columns;  // the columns of the panels
};

// Calls compute(tile, parts, notes) for all tiles on several threads: parts[tap * block_rows + r] points at
// that part of row r of the first block; the other blocks follow. locate(begin, count, block_rows, parts,
// memory) finds the parts and may write rows to `memory` (locate.bytes(count) bytes); evenly strided rows
// have no parts. note(parts, block_rows, count, block_notes) is called once per located block and may write
// one number per row.
template <typename T, typename Locate, typename RowSum, typename Compute>
void for_tiles(const KernelArgs& args, const GemmProblem& gemm, const TileBlock& block, const Locate& locate,
               const RowSum& row_sum, const Compute& compute) {
  const int64_t panels = divide_up(gemm.columns, block.columns);
  const Tiles tiles = tiles_of(gemm, block, args.pool.threads());
  const bool has_parts = !locate.has_fixed_stride();
  const int64_t part_bytes = has_parts ? tiles.rows * gemm.taps * int64_t(sizeof(T*)) : 0;
  const int64_t row_sum_bytes = tiles.rows * int64_t(sizeof(int32_t));
  const int64_t scratch_bytes = part_bytes + row_sum_bytes + (has_parts ? locate.bytes(tiles.rows) : 0);
  args.scratch->reserve(args.pool.threads(), size_t(scratch_bytes));
  args.pool.parallel_for(tiles.row_tiles * tiles.chunks, tiles.grain,
                         [&](int64_t begin, int64_t end, unsigned worker) {
                           std::byte* const scratch = args.scratch->of_worker(worker, size_t(scratch_bytes));
                           auto* const parts = reinterpret_cast<const T**>(scratch);
                           auto* const row_sums = reinterpret_cast<int32_t*>(scratch + part_bytes);
                           auto* const memory = reinterpret_cast<T*>(scratch + part_bytes + row_sum_bytes);
                           int64_t located = -1;
                           for (int64_t task = begin; task < end; ++task) {
                             Tile tile{};
                             tile.row = task / tiles.chunks * tiles.rows;
                             tile.rows = std::min(tiles.rows, gemm.rows - tile.row);
                             tile.block_rows = tiles.block_rows;
                             if (tile.row != located && has_parts) {
                               locate(tile.row, tile.rows, tile.block_rows, parts, memory);
                               for (int64_t r = 0; r < tile.rows; r += tile.block_rows)
                                 row_sum(parts + r * gemm.taps, tile.block_rows,
                                         int(std::min(tile.block_rows, tile.rows - r)), row_sums + r);
                             }
                             located = tile.row;
                             tile.panel = task % tiles.chunks * tiles.panels;
                             tile.panels = std::min(tiles.panels, panels - tile.panel);
                             tile.column = tile.panel * block.columns;
                             tile.columns = std::min(tile.panels * block.columns, gemm.columns - tile.column);
                             compute(tile, has_parts ? parts : nullptr, row_sums);
                           }
                         });
}

}  // namespace nnrt::cpu
