// Quantized products on processors with has_code_dots(): what is kept of the
// weights.
#pragma once

#include "backends/cpu/codes_block.h"
#include "backends/cpu/codes_tiles.h"
#include "backends/cpu/linear_tiles.h"

namespace nnrt::cpu {

// The panels of all groups, then the terms of all channels. Kept, or made in
// the run where weights or bias are not constant. `weights` are those of input
// 1, or of one of the matrices in it.
KeptBytes code_weights(const KernelArgs& args, const TiledProduct& product, const int8_t* weights);
int64_t code_group_bytes(const TiledProduct& product);  // of the panels of one group

// For each block of channels its quads of taps, then the terms; kept likewise.
KeptBytes depthwise_code_weights(const KernelArgs& args);

// The terms of `channels` output channels, which `kept` has behind
// `weight_bytes`.
CodeTerms code_terms(const KernelArgs& args, const std::byte* kept, int64_t weight_bytes, int64_t channels);

// What the products of one group are made of.
struct GroupCodes {
  CodeTerms terms;
  const uint8_t* panels;
  int64_t panel_bytes;
  int64_t channel;  // the group's first
};
GroupCodes group_codes(const KernelArgs& args, const TiledProduct& product, const KeptBytes& kept,
                       int64_t group);

// Whether the product goes by the registers of has_code_tiles().
bool takes_code_tiles(const KernelArgs& args, const TiledProduct& product);

template <typename Locate>
void multiply_by_tiles(const KernelArgs& args, const TiledProduct& product, const GroupCodes& group,
                       const Locate& locate, int8_t* to, int64_t stride) {
  const int64_t row_bytes = laid_row_bytes(product.taps, product.tap_elements);
  const Tiles tiles = tiles_of(product, {kTileBlockRows, kCodeColumns, row_bytes, 1}, args.pool.threads());
  const int64_t laid_bytes = tiles.rows * row_bytes + 64;
  const int64_t sum_bytes = tiles.rows * int64_t(sizeof(int32_t));
  const int64_t part_bytes = tiles.rows * product.taps * int64_t(sizeof(int8_t*));
  const int64_t scratch_bytes = laid_bytes + part_bytes + sum_bytes + locate.bytes(tiles.rows);
  args.scratch->reserve(args.pool.threads(), size_t(scratch_bytes));
  args.pool.parallel_for(
      tiles.row_tiles * tiles.chunks, tiles.grain, [&](int64_t begin, int64_t end, unsigned worker) {
        std::byte* const scratch = args.scratch->of_worker(worker, size_t(scratch_bytes));
        auto* const laid = reinterpret_cast<uint8_t*>(scratch);
        auto* const parts = reinterpret_cast<const int8_t**>(scratch + laid_bytes);
        auto* const sums = reinterpret_cast<int32_t*>(scratch + laid_bytes + part_bytes);
        auto* const memory = reinterpret_cast<int8_t*>(scratch + laid_bytes + part_bytes + sum_bytes);
        int64_t at = -1;
        for (int64_t task = begin; task < end; ++task) {
          const int64_t row = task / tiles.chunks * tiles.rows;
          const int64_t rows = std::min(tiles.rows, product.rows - row);
          if (row != at) {
            locate(row, rows, tiles.rows, parts, memory);
            lay_rows({parts, tiles.rows, product.taps, product.tap_elements, int(rows)}, laid, sums);
            at = row;
          }
          const int64_t panel = task % tiles.chunks * tiles.panels, column = panel * kCodeColumns;
          const int64_t columns = std::min(tiles.panels * kCodeColumns, product.columns - column);
          multiply_code_tiles({laid, sums, rows, tiles.block_rows, product.taps, product.tap_elements,
                               group.panels + panel * group.panel_bytes, group.channel + column, columns,
                               to + row * stride + column, stride},
                              group.terms);
        }
      });
}

template <typename Locate>
void multiply_by_dots(const KernelArgs& args, const TiledProduct& product, const GroupCodes& group,
                      const Locate& locate, int8_t* to, int64_t stride) {
  const TileBlock block{kCodeRows, kCodeColumns, product.row_elements, 1};
  for_tiles<int8_t>(
      args, product, block, locate,
      [&](const int8_t* const* parts, int64_t tap_rows, int count, int32_t* sums) {
        sum_code_rows({parts, tap_rows, product.taps, product.tap_elements, count}, sums);
      },
      [&](const Tile& tile, const int8_t* const* parts, const int32_t* sums) {
        for (int64_t column = 0; column < tile.columns; column += kCodeColumns) {
          const int columns = int(std::min<int64_t>(kCodeColumns, tile.columns - column));
          const int64_t first = tile.column + column;
          const uint8_t* const panel = group.panels + first / kCodeColumns * group.panel_bytes;
          for (int64_t r = 0; r < tile.rows; r += tile.block_rows) {
            const int count = int(std::min(tile.block_rows, tile.rows - r));
            multiply_codes(
                {parts + r * product.taps, tile.block_rows, product.taps, product.tap_elements, count},
                sums + r, panel, group.terms, group.channel + first, columns,
                to + (tile.row + r) * stride + first, stride);
          }
        }
      });
}

// Computes the columns of a group for all rows into the output at `to`, `stride` codes from row to row.
template <typename Locate>
void multiply_codes(const KernelArgs& args, const TiledProduct& product, const KeptBytes& kept, int64_t group,
                    const Locate& locate, int8_t* to, int64_t stride) {
  const GroupCodes codes = group_codes(args, product, kept, group);
  if (takes_code_tiles(args, product)) return multiply_by_tiles(args, product, codes, locate, to, stride);
  multiply_by_dots(args, product, codes, locate, to, stride);
}

}  // namespace nnrt::cpu
