// Packs the second operand of GEMMs for the kernels: [matrix][rows / (4 wide)][inner][wide] of vec4, with
// missing rows 0.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

// Row r, inner index k of matrix m is at m * matrix_stride + r * row_stride + k * step of the tensor, padding
// not counted.
struct PackedWeights {
  uint32_t matrices = 1, rows = 0, inner = 0;
  uint32_t matrix_stride = 0, row_stride = 0, step = 1;
  uint32_t wide = 1;  // vec4 per block
  // Padding of a constant along the inner dimension: every `run` values are followed by zeros up to
  // `wide_run`. Equal if there is no padding.
  uint32_t run = 1, wide_run = 1;

  uint32_t blocks() const { return (rows + 4 * wide - 1) / (4 * wide); }  // blocks per matrix
  uint32_t matrix() const { return blocks() * inner * wide; }             // vec4 per matrix
  uint64_t count() const { return uint64_t(matrices) * blocks() * inner * wide; }
};

// Packs FLOAT32 input `i`: a constant once, on the host; anything else by a dispatch in front of its use.
Result<Buffer> pack_weights(const LoweringContext& context, size_t i, const PackedWeights& packing);

}  // namespace nnrt::vulkan
