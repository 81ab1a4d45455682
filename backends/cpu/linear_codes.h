// Quantized products on processors with has_code_dots(): what is kept of the
// weights.
#pragma once

#include "backends/cpu/codes_block.h"
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

// Computes the columns of a group for all rows into the output at `to`,
// `stride` codes from row to row.
template <typename Locate>
void multiply_codes(const KernelArgs& args, const TiledProduct& product, const KeptBytes& kept, int64_t group,
                    const Locate& locate, int8_t* to, int64_t stride) {
  const int64_t steps = divide_up(product.tap_elements, kCodeStep);
  const int64_t group_bytes = code_group_bytes(product);
  const CodeTerms terms = code_terms(args, kept.data, product.groups * group_bytes, product.channels());
  const auto* const panels = kept.as<uint8_t>() + group * group_bytes;
  const int64_t panel_bytes = product.taps * steps * kCodeColumns * kCodeStep;
  const TileBlock block{kCodeRows, kCodeColumns, product.row_elements, 1};
  for_tiles<int8_t>(
      args, product, block, locate,
      [&](const int8_t* const* parts, int64_t tap_rows, int count, int32_t* sums) {
        sum_code_rows({parts, tap_rows, product.taps, product.tap_elements, count}, sums);
      },
      [&](const int8_t* const* parts, int64_t tap_rows, int count, int64_t row, int64_t panel,
          const int32_t* sums) {
        const int64_t column = panel * kCodeColumns;
        const int columns = int(std::min<int64_t>(kCodeColumns, product.columns - column));
        multiply_codes({parts, tap_rows, product.taps, product.tap_elements, count}, sums,
                       panels + panel * panel_bytes, terms, group * product.columns + column, columns,
                       to + row * stride + column, stride);
      });
}

}  // namespace nnrt::cpu
