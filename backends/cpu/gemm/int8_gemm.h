// Quantized GEMM with has_int8_dot(), and its prepacked weights.
#pragma once

#include "backends/cpu/gemm/amx_gemm.h"
#include "backends/cpu/gemm/gemm_tiling.h"
#include "backends/cpu/gemm/int8_microkernel.h"
#include "backends/cpu/gemm/matmul_kernels.h"

#include <type_traits>

namespace nnrt::cpu {

// The panels of all groups, then the terms of all channels. Cached if weights and bias are constant,
// otherwise made in the run. `weights` is input 1 or one of its matrices.
PrepackedBytes int8_weights(const KernelArgs& args, const GemmProblem& gemm, const int8_t* weights);
int64_t int8_group_bytes(const GemmProblem& gemm);  // in the panels of one group

// Per block of channels, its quads of taps; then the terms. Cached like int8_weights().
struct DepthwiseWeights {
  PrepackedBytes packed;
  Int8Epilogue terms;
  int64_t quads;
  bool by_columns;  // for depthwise_columns(), otherwise for depthwise_int8()
  int64_t pixels;   // neighboring output pixels whose channels share a block
};
DepthwiseWeights depthwise_int8_weights(const KernelArgs& args, const SpatialParams& spatial);

// The terms of `channels` output channels, stored after `weight_bytes` bytes.
Int8Epilogue int8_epilogue(const KernelArgs& args, const std::byte* prepacked, int64_t weight_bytes,
                           int64_t channels);

// Bytes of those terms.
int64_t int8_term_bytes(int64_t channels);
// The terms for symmetric weights. `weight_sums`: the sum of each channel's weights; `activation_of_zero`:
// what the kernel multiplies for an activation of 0.
void make_int8_terms(const KernelArgs& args, bool has_bias, std::span<const int32_t> weight_sums,
                     int32_t activation_of_zero, std::byte* to);

// Weights and terms of one group's GEMM.
struct Int8Group {
  Int8Epilogue terms;
  const uint8_t* panels;
  int64_t panel_bytes;
  int64_t channel;  // first channel of the group
};
Int8Group int8_group(const KernelArgs& args, const GemmProblem& gemm, const PrepackedBytes& prepacked,
                     int64_t group);

// Reasons against both kernels for the node, and against the AMX kernel for this many rows.
WhyNot why_not_int8_dot(const NodeView& node);
bool has_symmetric_weights(const NodeView& node);
// Returns whether panels of one vector keep the weights signed.
bool packs_signed_weights(const NodeView& node);
// Returns whether the dot GEMM can add a residual (Int8Epilogue::residual) to the node's results.
bool adds_residuals(const NodeView& node);
WhyNot why_not_amx(const NodeView& node, int64_t rows);

template <typename Locate>
void multiply_int8_by_amx(const KernelArgs& args, const GemmProblem& gemm, const Int8Group& group,
                          const Locate& locate, int8_t* to, int64_t stride) {
  const int64_t row_bytes = packed_row_bytes(gemm.taps, gemm.tap_elements);
  const Tiles tiles = tiles_of(gemm, {kAmxBlockRows, kInt8PanelColumns, row_bytes, 1}, args.pool.threads());
  const int64_t packed_rows_bytes = tiles.rows * row_bytes + 64;
  const int64_t sum_bytes = tiles.rows * int64_t(sizeof(int32_t));
  const int64_t part_bytes = tiles.rows * gemm.taps * int64_t(sizeof(int8_t*));
  const int64_t scratch_bytes = packed_rows_bytes + part_bytes + sum_bytes + locate.bytes(tiles.rows);
  args.scratch->reserve(args.pool.threads(), size_t(scratch_bytes));
  args.pool.parallel_for(
      tiles.row_tiles * tiles.chunks, tiles.grain, [&](int64_t begin, int64_t end, unsigned worker) {
        std::byte* const scratch = args.scratch->of_worker(worker, size_t(scratch_bytes));
        auto* const packed_rows = reinterpret_cast<uint8_t*>(scratch);
        auto* const parts = reinterpret_cast<const int8_t**>(scratch + packed_rows_bytes);
        auto* const sums = reinterpret_cast<int32_t*>(scratch + packed_rows_bytes + part_bytes);
        auto* const memory = reinterpret_cast<int8_t*>(scratch + packed_rows_bytes + part_bytes + sum_bytes);
        int64_t at = -1;
        for (int64_t task = begin; task < end; ++task) {
          const int64_t row = task / tiles.chunks * tiles.rows;
          const int64_t rows = std::min(tiles.rows, gemm.rows - row);
          if (row != at) {
            locate(row, rows, tiles.rows, parts, memory);
            pack_rows({parts, tiles.rows, gemm.taps, gemm.tap_elements, int(rows)}, packed_rows, sums);
            at = row;
          }
          const int64_t panel = task % tiles.chunks * tiles.panels, column = panel * kInt8PanelColumns;
          const int64_t columns = std::min(tiles.panels * kInt8PanelColumns, gemm.columns - column);
          multiply_amx({packed_rows, sums, rows, tiles.block_rows, gemm.taps, gemm.tap_elements,
                        group.panels + panel * group.panel_bytes, group.channel + column, columns,
                        to + row * stride + column, stride},
                       group.terms);
        }
      });
}

// `To` is INT8, or INT32 for raw sums. Calls finish(row, rows, column, columns) for parts that are stored.
template <typename Locate, typename To, typename Finish>
void multiply_int8_by_dot(const KernelArgs& args, const GemmProblem& gemm, const Int8Group& group,
                          const Locate& locate, To* to, int64_t stride, const Finish& finish) {
  const TileBlock block{kInt8BlockRows, kInt8PanelColumns, gemm.row_elements, 1};
  for_tiles<int8_t>(
      args, gemm, block, locate,
      [&](const int8_t* const* parts, int64_t tap_rows, int count, int32_t* sums) {
        if (group.terms.symmetric && (kByteOfZero == 0 || gemm.columns <= kInt32Lanes)) {
          std::fill_n(sums, count, 0);
        } else {
          sum_int8_rows({parts, tap_rows, gemm.taps, gemm.tap_elements, count}, sums);
        }
      },
      [&](const Tile& tile, const int8_t* const* parts, const int32_t* sums) {
        const bool is_block = tile.rows <= kInt8BlockRows;  // so all of its columns are in the cache
        for (int64_t column = 0; column < tile.columns; column += kInt8PanelColumns) {
          const int columns = int(std::min<int64_t>(kInt8PanelColumns, tile.columns - column));
          const int64_t first = tile.column + column;
          const uint8_t* const panel = group.panels + first / kInt8PanelColumns * group.panel_bytes;
          const bool is_last = first + kInt8PanelColumns >= gemm.columns;
          const uint8_t* const next = is_last ? nullptr : panel + group.panel_bytes;
          // All full blocks, then the last one.
          for (int64_t r = 0; r < tile.rows;) {
            const int64_t count = std::min(tile.block_rows, tile.rows - r), blocks = (tile.rows - r) / count;
            multiply_int8({parts + r * gemm.taps, tile.block_rows, gemm.taps, gemm.tap_elements, int(count),
                           blocks, next},
                          sums + r, panel, group.terms, group.channel + first, columns,
                          to + (tile.row + r) * stride + first, stride);
            r += blocks * count;
          }
          if (!is_block) finish(tile.row, tile.rows, first, columns);
        }
        if (is_block) finish(tile.row, tile.rows, tile.column, tile.columns);
      });
}

// Computes a group's columns for all rows into `to`, with row stride `stride`.
template <typename Locate, typename To>
void multiply_int8(const KernelArgs& args, const GemmProblem& gemm, const PrepackedBytes& prepacked,
                   int64_t group, Int8Kernel kernel, const Locate& locate, To* to, int64_t stride,
                   const Int8Residual* residual = nullptr) {
  Int8Group quantized = int8_group(args, gemm, prepacked, group);
  quantized.terms.residual = residual;
  if constexpr (std::is_same_v<To, int8_t>) {
    if (kernel == Int8Kernel::amx) return multiply_int8_by_amx(args, gemm, quantized, locate, to, stride);
  }
  multiply_int8_by_dot(args, gemm, quantized, locate, to, stride, [](int64_t, int64_t, int64_t, int64_t) {});
}

}  // namespace nnrt::cpu
