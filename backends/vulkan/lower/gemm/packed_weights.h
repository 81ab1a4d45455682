// The second operand of GEMMs in the form that the kernels want: blocks of some vec4 of rows, [matrix][rows /
// (4 wide)][inner][wide] of vec4, rows that do not exist being 0.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

// Row r and inner index k of matrix m are at m * matrix_stride + r * row_stride + k * step of the tensor,
// zeros not counted.
struct PackedWeights {
  uint32_t matrices = 1, rows = 0, inner = 0;
  uint32_t matrix_stride = 0, row_stride = 0, step = 1;
  uint32_t wide = 1;  // vec4 of a block
  // A constant has `run` values along the inner dimension, then zeros up to `wide_run`, again and again.
  // Equal if there are no zeros.
  uint32_t run = 1, wide_run = 1;

  uint32_t blocks() const { return (rows + 4 * wide - 1) / (4 * wide); }  // blocks of a matrix
  uint32_t matrix() const { return blocks() * inner * wide; }             // vec4 of one
  uint64_t count() const { return uint64_t(matrices) * blocks() * inner * wide; }
};

// Input `i` of FLOAT32 so packed: a constant once for all, on the host, anything else by the device before it
// is used.
Result<Buffer> pack_weights(const LoweringContext& context, size_t i, const PackedWeights& packing);

}  // namespace nnrt::vulkan
