// Quantized convolutions and products on processors with has_code_dots(): what is kept of the weights, and
// the tiles that the threads share.
#pragma once

#include "backends/cpu/codes_block.h"
#include "backends/cpu/kernel.h"

#include <algorithm>

namespace nnrt::cpu {

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Rows of codes times the weights of `groups` groups, with `columns` output channels each.
struct CodeProduct {
  int64_t rows = 0, groups = 1, columns = 0;
  int64_t taps = 1, tap_codes = 0;  // a row is so many parts of so many codes
  bool has_bias = false;
  bool columns_first = true;  // weights are [columns][taps][tap_codes], otherwise [tap_codes][columns]

  int64_t inner() const { return taps * tap_codes; }
  int64_t steps() const { return divide_up(tap_codes, kCodeStep); }
  int64_t panels() const { return divide_up(columns, kCodeColumns); }
  // Of one panel but the last, which may be narrower.
  int64_t panel_bytes() const { return taps * steps() * kCodeColumns * kCodeStep; }
};

// What is kept, or made in the run where weights or bias are not constant. `weights` are those of input 1, or
// of one of the matrices in it.
KeptBytes code_weights(const KernelArgs& args, const CodeProduct& product, const int8_t* weights);

// Computes columns [0, columns) of a group for rows [0, rows) into the output at `to`, `stride` codes from
// row to row. locate(begin, count, parts, bytes) gives where the parts of `count` rows from `begin` on lie:
// parts[(r / kCodeRows * taps + tap) * kCodeRows + r % kCodeRows] of row begin + r. It may write rows into
// `bytes`, which has locate.bytes(count).
template <typename Locate>
void multiply_codes(const KernelArgs& args, const CodeProduct& product, const KeptBytes& kept, int64_t group,
                    const Locate& locate, int8_t* to, int64_t stride);

// For each channel its quads of taps; kept likewise.
KeptBytes depthwise_code_weights(const KernelArgs& args);

// The terms of `channels` output channels, where `kept` has them after `weight_bytes`.
CodeTerms code_terms(const KernelArgs& args, const std::byte* kept, int64_t weight_bytes, int64_t channels);

struct CodeTiles {
  int64_t rows, row_tiles;  // of a tile; tiles
  int64_t panels, chunks;   // a task is one tile of rows with so many panels
  int64_t grain;            // tasks worth a thread
};
CodeTiles code_tiles(const CodeProduct& product, unsigned threads);
int64_t code_weight_bytes(const CodeProduct& product);  // of one group

template <typename Locate>
void multiply_codes(const KernelArgs& args, const CodeProduct& product, const KeptBytes& kept, int64_t group,
                    const Locate& locate, int8_t* to, int64_t stride) {
  const int64_t weight_bytes = code_weight_bytes(product);
  CodeTerms terms =
      code_terms(args, kept.data, product.groups * weight_bytes, product.groups * product.columns);
  const auto* const panels = reinterpret_cast<const uint8_t*>(kept.data) + group * weight_bytes;
  const int64_t first_channel = group * product.columns;
  const CodeTiles tiles = code_tiles(product, args.pool.threads());
  const int64_t part_bytes = tiles.rows * product.taps * int64_t(sizeof(int8_t*));
  const int64_t sum_bytes = tiles.rows * int64_t(sizeof(int32_t));
  const int64_t scratch_bytes = part_bytes + sum_bytes + locate.bytes(tiles.rows);
  args.pool.parallel_for(
      tiles.row_tiles * tiles.chunks, tiles.grain, [&](int64_t begin, int64_t end, unsigned worker) {
        std::byte* const scratch = args.scratch->of_worker(worker, size_t(scratch_bytes));
        auto* const parts = reinterpret_cast<const int8_t**>(scratch);
        auto* const row_sums = reinterpret_cast<int32_t*>(scratch + part_bytes);
        auto* const bytes = reinterpret_cast<int8_t*>(scratch + part_bytes + sum_bytes);
        int64_t located = -1;
        for (int64_t task = begin; task < end; ++task) {
          const int64_t row = task / tiles.chunks * tiles.rows;
          const int64_t rows = std::min(tiles.rows, product.rows - row);
          const auto block = [&](int64_t r) {
            return CodeRows{parts + r * product.taps, product.taps, product.steps(),
                            int(std::min<int64_t>(kCodeRows, rows - r))};
          };
          if (row != located) {
            locate(row, rows, parts, bytes);
            for (int64_t r = 0; r < rows; r += kCodeRows) sum_code_rows(block(r), row_sums + r);
            located = row;
          }
          const int64_t first_panel = task % tiles.chunks * tiles.panels;
          for (int64_t p = first_panel; p < std::min(first_panel + tiles.panels, product.panels()); ++p) {
            const int64_t column = p * kCodeColumns;
            const int columns = int(std::min<int64_t>(kCodeColumns, product.columns - column));
            for (int64_t r = 0; r < rows; r += kCodeRows)
              multiply_codes(block(r), row_sums + r, panels + p * product.panel_bytes(), terms,
                             first_channel + column, columns, to + (row + r) * stride + column, stride);
          }
        }
      });
}

}  // namespace nnrt::cpu
