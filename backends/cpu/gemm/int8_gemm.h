// Quantized GEMMs with has_int8_dot(), and their prepacked weights.
#pragma once

#include "backends/cpu/gemm/amx_gemm.h"
#include "backends/cpu/gemm/gemm_tiling.h"
#include "backends/cpu/gemm/int8_microkernel.h"
#include "backends/cpu/gemm/matmul_kernels.h"

#include <type_traits>

namespace nnrt::cpu {

// The panels of all groups in the kernel's order, then the terms of all channels. Cached if weights and bias
// are constant, otherwise made in the run. `weights` is input 1 or one of its matrices.
PrepackedBytes int8_weights(const KernelArgs& args, const GemmProblem& gemm, const int8_t* weights,
                            Int8Kernel kernel);

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
                     int64_t group, Int8Kernel kernel);

// Reasons against both kernels for the node, and against the AMX kernel.
WhyNot why_not_int8_dot(const NodeView& node);
// `in_place`: rows are evenly spaced.
WhyNot why_not_amx(const KernelArgs& args, const GemmProblem& gemm, bool in_place);
bool has_symmetric_weights(const NodeView& node);
// Returns whether the GEMMs can add a residual (Int8Epilogue::residual) to the node's results.
bool adds_residuals(const NodeView& node);

// `To` is INT8, or INT32 for raw sums.
template <typename Locate, typename To>
void multiply_int8_by_amx(const KernelArgs& args, const GemmProblem& gemm, const Int8Group& group,
                          const Locate& locate, To* to, int64_t stride) {
  const TileGroups groups(row_quads(gemm));
  GemmProblem packed = gemm;
  packed.taps = 1;
  packed.tap_elements = packed.row_elements = groups.quads * kDotDepth;
  const TileBlock block{kAmxBlockRows, kInt8PanelColumns, packed.row_elements, 1};
  for_tiles<int8_t>(
      args, packed, block, TileRows(locate, gemm), [](const int8_t* const*, int64_t, int, int32_t*) {},
      [&](const Tile& tile, const int8_t* const* rows, const int32_t*) {
        const int8_t* const panels =
            reinterpret_cast<const int8_t*>(group.panels) + tile.panel * group.panel_bytes;
        multiply_amx(
            {rows, tile.rows, tile.block_rows, groups, panels, group.channel + tile.column, tile.columns},
            group.terms, to + tile.row * stride + tile.column, stride);
      });
}
template <typename Locate, typename To>
void multiply_int8_by_dot(const KernelArgs& args, const GemmProblem& gemm, const Int8Group& group,
                          const Locate& locate, To* to, int64_t stride) {
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
        }
      });
}

// Computes a group's columns for all rows into `to`, with row stride `stride`.
template <typename Locate, typename To>
void multiply_int8(const KernelArgs& args, const GemmProblem& gemm, const Int8Group& group, Int8Kernel kernel,
                   const Locate& locate, To* to, int64_t stride) {
  if (kernel == Int8Kernel::amx) {
    multiply_int8_by_amx(args, gemm, group, locate, to, stride);
  } else {
    multiply_int8_by_dot(args, gemm, group, locate, to, stride);
  }
}

}  // namespace nnrt::cpu
