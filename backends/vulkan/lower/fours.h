// The second operand of products in the form that the kernels want: rows four by four,
// [matrix][rows / 4][inner] of vec4, rows that do not exist being 0.
#pragma once

#include "backends/vulkan/lowering.h"

namespace nnrt::vulkan {

// Where row r and inner index k of matrix m lie in the tensor: m * matrix_stride + r * row_stride + k * step.
struct Fours {
  uint32_t matrices = 1, rows = 0, inner = 0;
  uint32_t matrix_stride = 0, row_stride = 0, step = 1;

  uint32_t blocks() const { return (rows + 3) / 4; }  // of a matrix
};

// Input `i` of FLOAT32 so packed: a constant once for all, on the host, anything else by the device before it
// is used.
Result<Buffer> pack_fours(const LoweringContext& context, size_t i, const Fours& fours);

}  // namespace nnrt::vulkan
