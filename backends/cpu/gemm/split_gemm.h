// FLOAT32 GEMMs on tiles of BF16, for nodes that may be as inexact as FLOAT16 (split_rows.h).
#pragma once

#include "backends/cpu/gemm/amx_gemm.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/gemm/matmul_kernels.h"

namespace nnrt::cpu {

inline constexpr const char* kSplitGemm = "bf16_gemm";

// Prepacked: the panels of all groups; the bias of all channels (zeros if none), padded for a panel; and 1 if
// all weights are finite, otherwise 0.
class SplitWeights {
 public:
  // `weights` is input 1, which is constant.
  SplitWeights(const KernelArgs& args, const GemmProblem& gemm);

  const int8_t* panels(int64_t group) const { return prepacked_.as<int8_t>() + group * group_bytes_; }
  const float* bias(int64_t group) const { return floats_ + group * columns_; }
  bool are_finite() const { return floats_[padded_channels_] != 0; }

 private:
  int64_t group_bytes_, columns_, padded_channels_;
  PrepackedBytes prepacked_;
  const float* floats_;
};

WhyNot why_not_split(const KernelArgs& args, const GemmProblem& gemm);

// As multiply_f32(), with other weights.
template <typename Locate>
void multiply_split(const KernelArgs& args, const GemmProblem& gemm, const SplitWeights& weights,
                    int64_t group, const Locate& locate, int64_t first, int64_t stride) {
  const TileGroups groups(row_pairs(gemm));
  GemmProblem packed = gemm;
  packed.taps = 1;
  packed.tap_elements = packed.row_elements = 2 * groups.piece_bytes();
  const TileBlock block{kAmxBlockRows, kInt8PanelColumns, packed.row_elements, 1};
  const int64_t panel_bytes = 2 * groups.panel_bytes(kInt8PanelColumns);
  const F32OutputEpilogue end(args);
  float* const output = args.output<float>();
  for_tiles<int8_t>(
      args, packed, block, SplitRows(locate, gemm), [](const int8_t* const*, int64_t, int, int32_t*) {},
      [&](const Tile& tile, const int8_t* const* rows, const int32_t*) {
        const int64_t at = first + tile.row * stride + tile.column;
        multiply_split({rows, tile.rows, tile.block_rows, groups,
                        weights.panels(group) + tile.panel * panel_bytes, 0, tile.columns},
                       weights.are_finite(), end.epilogue(weights.bias(group) + tile.column, at), output + at,
                       stride);
        end.apply_rest(at, tile.rows, tile.columns, stride);
      });
}

}  // namespace nnrt::cpu
