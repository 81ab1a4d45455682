// GEMMs on the GPU: MATMUL, FULL_CONNECTION, convolutions that are one, and LSTM's of its input.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

inline constexpr uint32_t kTileColumns = 16;

// Rows of a tile, blocks of columns, and invocations that compute it.
struct Tile {
  uint32_t rows = 0, blocks = 1, invocations = 1;

  // Tiles for so many rows, and for so many blocks.
  uint32_t down(uint32_t of_rows) const { return (of_rows - 1) / rows + 1; }
  uint32_t across(uint32_t of_blocks) const { return (of_blocks - 1) / blocks + 1; }
};
inline constexpr Tile kRegisterTile{8}, kRowTile{1}, kTexelBufferTile{16, 1, 4},
    kSubgroup8Tile{16, 2, kSubgroup8};

// The tile of a kernel that reads vectors of four.
constexpr Tile tile_for(TileKind kind) {
  if (kind == TileKind::subgroup) return kSubgroup8Tile;
  return kind == TileKind::texel_buffer ? kTexelBufferTile : kRegisterTile;
}

// Input 0, or `left` instead, times matrices of input 1, plus a bias for each column if there is one.
struct Gemm {
  MatMul shape;
  Buffer output;
  std::optional<Buffer> bias = {};
  Epilogue epilogue = {};
  std::optional<Buffer> left = {};
  // Matrices in vec4, kTileColumns columns wide (packed_weights.h), instead of input 1.
  std::optional<Buffer> right = {};
  uint32_t first = 0;  // the first of the matrices of input 1
};
// By the first kernel of gemm_implementations.cpp that can.
Status add_gemm(const LoweringContext& context, const Gemm& gemm);
std::vector<std::string_view> gemm_kernels();

// By tiles of a kind that is not refused.
WhyNot why_not_tiles(const LoweringContext& context, const Gemm& gemm, TileKind kind);
Status add_gemm_tiles(const LoweringContext& context, const Gemm& gemm, TileKind kind);

// The destination of its rows: that of the node (lower_epilogue.h), if they are all of the node's results.
ConcatSlice output_slice_of(const LoweringContext& context, const Gemm& gemm);

// Adds a dispatch of a grid with no y that does not spill: neighbours in x form its groups.
Status add_line(const LoweringContext& context, Dispatch dispatch);
// The same in groups of so many.
Status add_groups(const LoweringContext& context, Dispatch dispatch, uint32_t invocations);

// No reason where a program is to be made of them.
inline WhyNot why_not_fast_compile_shaders(const DevicePlan& plan) {
  return plan.shaders == Shaders::optimized ? WhyNot::slower("Optimized shaders compute it faster.")
                                            : WhyNot();
}

}  // namespace nnrt::vulkan
