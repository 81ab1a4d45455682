// Float GEMM microkernels: a block of sums stays in registers until it is stored.
#pragma once

#include "backends/cpu/simd/simd.h"

#include <cstdint>

namespace nnrt::cpu {

// Size of a register block.
struct F32Block {
  int rows, lanes, columns;  // columns of a panel: two vectors of lanes
};
inline constexpr int kMaxFloatRows = 8;
inline constexpr int kMaxFloatColumns = 32;
// Floats of long rows that are multiplied by all panels before the next ones.
inline constexpr int64_t kF32SpanFloats = 2048;
constexpr F32Block f32_block(int vector_bytes) {
  const int lanes = vector_bytes / int(sizeof(float));
  return {vector_registers(vector_bytes) == 32 ? kMaxFloatRows : 6, lanes, 2 * lanes};
}

// Rows of floats, computed in blocks of `block_rows` (at most f32_block().rows; kMaxFloatRows if all columns
// fit a vector). Either `parts` points at each of the `taps` parts of each row (block by block, tap by tap,
// `block_rows` pointers each), or rows are contiguous and `step` floats apart.
struct F32Rows {
  const float* const* parts = nullptr;
  const float* first = nullptr;  // used if `parts` is null
  int64_t step = 0;
  int64_t taps = 1, tap_floats = 0;
  int64_t count = 0, block_rows = 1;
};

// result = clamp(clamp(sum + bias) + other).
struct F32Epilogue {
  const float* bias = nullptr;  // one per column, padded to full vectors
  float low = 0, high = 0;
  const float* other = nullptr;  // same layout as the result, or null
  float other_low = 0, other_high = 0;
};

// Computes all rows and `columns` columns; row r goes to to + r * stride. Each panel is
// [taps][tap_floats][lanes], with two vectors of lanes; one if that suffices for the last panel.
void multiply_f32(int vector_bytes, const F32Rows& rows, const float* panels, int64_t columns,
                  const F32Epilogue& epilogue, float* to, int64_t stride);

}  // namespace nnrt::cpu
