// Matrix products by fast-compile shaders, and the helpers that fast-compile convolutions share: the
// convolution shader also computes GEMMs with a single weight matrix.
#pragma once

#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"

namespace nnrt::vulkan {

// Rows (or pixels) and columns of the tile that one invocation computes.
inline constexpr uint32_t kFastCompileSide = 4;

struct FastCompilePush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  uint32_t pixel_packs = 0, group_packs = 0;
  uint32_t columns = 0, groups = 1;
  SpatialPush spatial;
  uint32_t y_first = 0, y_row = 0;
  uint32_t has_bias = 1, adds = 0;
  EpiloguePush epilogue{};
};

// Returns whether fast-compile shaders read this many texels through one view.
bool shows_texels(uint64_t texels, const DevicePlan& plan);
// One tile per invocation.
Status add_fast_compile_tiles(const LoweringContext& context, Dispatch dispatch, uint64_t tiles);

struct FastCompileOperands {
  Buffer left, right;
  uint64_t largest = 0;  // size of the larger operand in texels
};

// All dimensions must be known.
inline uint64_t elements_of(const Shape& shape) { return uint64_t(*element_count(shape)); }

// Uses the convolution shader.
Status add_fast_compile_gemm(const LoweringContext& context, FastCompilePush push,
                             const FastCompileOperands& operands, const std::optional<Buffer>& bias,
                             const View& to, const Epilogue& epilogue, bool transposed);

Status add_fast_compile_gemm(const LoweringContext& context, const Gemm& gemm);
uint64_t fast_compile_iterations(const LoweringContext& context, const Gemm& gemm);

}  // namespace nnrt::vulkan
