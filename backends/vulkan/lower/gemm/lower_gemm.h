// GEMMs on the GPU: MATMUL, FULL_CONNECTION, convolutions that are GEMMs, and the input products of recurrent
// layers.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

inline constexpr uint32_t kTileColumns = 16;

// A tile's rows, its column blocks, and the invocations that compute it.
struct Tile {
  uint32_t rows = 0, blocks = 1, invocations = 1;

  uint32_t down(uint32_t of_rows) const { return divide_up(of_rows, rows); }
  uint32_t across(uint32_t of_blocks) const { return divide_up(of_blocks, blocks); }
};
inline constexpr Tile kRegisterTile{8}, kRowTile{1}, kTexelBufferTile{16, 1, 4},
    kSubgroup8Tile{16, 2, kSubgroup8}, kSmallTile{4, 1, 2}, kSmallHalfTile{4, 1, 4};

// `is_half`: the kernel multiplies in fp16 (variant HALF).
constexpr Tile tile_for(TileKind kind, bool reads_vec4, bool is_half) {
  if (kind == TileKind::small_registers) return is_half ? kSmallHalfTile : kSmallTile;
  if (kind == TileKind::subgroup) return kSubgroup8Tile;
  return kind == TileKind::texel_buffer && reads_vec4 ? kTexelBufferTile : kRegisterTile;
}

// Input 0, or `left` instead, times matrices of input 1, plus an optional per-column bias.
struct Gemm {
  MatMul shape;
  Buffer output;
  std::optional<Buffer> bias = {};
  Epilogue epilogue = {};
  std::optional<Buffer> left = {};
  // Replaces input 1: vec4 matrices in blocks of kTileColumns columns (packed_weights.h).
  std::optional<Buffer> right = {};
  uint32_t first = 0;  // first matrix to use from input 1
};
// Uses the first kernel of gemm_implementations.cpp that supports it.
Status add_gemm(const LoweringContext& context, const Gemm& gemm);
std::vector<std::string_view> gemm_kernels();

WhyNot why_not_tiles(const LoweringContext& context, const Gemm& gemm, TileKind kind);
// Loop iterations per invocation without split-K.
uint64_t tile_iterations(const Gemm& gemm, TileKind kind);
Status add_gemm_tiles(const LoweringContext& context, const Gemm& gemm, TileKind kind);

// Where to store the rows, which must be all of the node's results (lower_epilogue.h).
View output_rows(const LoweringContext& context, const Gemm& gemm);

// Adds a dispatch with a one-dimensional grid that must not spill into y: neighbours in x form workgroups.
Status add_line(const LoweringContext& context, Dispatch dispatch);
// The same with workgroups of `invocations`.
Status add_groups(const LoweringContext& context, Dispatch dispatch, uint32_t invocations);

// Refuses fast-compile shaders unless the program is to be made of them.
inline WhyNot why_not_fast_compile_shaders(const DevicePlan& plan) {
  return plan.shaders == Shaders::optimized ? WhyNot::slower("Optimized shaders are faster.") : WhyNot();
}

}  // namespace nnrt::vulkan
