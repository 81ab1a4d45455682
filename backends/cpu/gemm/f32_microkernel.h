// The innermost loops of float GEMMs: a block of sums that stays in registers until it is stored.
#pragma once

#include "backends/cpu/simd/simd.h"

#include <cstdint>

namespace nnrt::cpu {

// The size of a block.
struct F32Block {
  int rows, lanes, columns;  // columns of a panel: two vectors of lanes
};
inline constexpr int kMaxFloatRows = 8;
inline constexpr int kMaxFloatColumns = 32;
constexpr F32Block f32_block(int vector_bytes) {
  const int lanes = vector_bytes / int(sizeof(float));
  return {vector_registers(vector_bytes) == 32 ? kMaxFloatRows : 6, lanes, 2 * lanes};
}

// Rows of floats, computed in blocks of `block_rows`, up to those of f32_block(). Either each of the `taps`
// parts of a row has a pointer (block after block, tap by tap, `block_rows` pointers each), or rows are whole
// and lie `step` floats apart.
struct F32Rows {
  const float* const* parts = nullptr;
  const float* first = nullptr;  // used if `parts` is null
  int64_t step = 0;
  int64_t taps = 1, tap_floats = 0;
  int64_t count = 0, block_rows = 1;
};

// The result of a sum is clamp(clamp(sum + bias) + other).
struct F32Epilogue {
  const float* bias = nullptr;  // one for each column, up to whole vectors
  float low = 0, high = 0;
  const float* other = nullptr;  // as the result lies; null: none
  float other_low = 0, other_high = 0;
};

// Results of all rows and `columns` columns; those of row r at to + r * stride. Panels are
// [taps][tap_floats][lanes] each, lanes being those of two vectors, in the last one those of one where they
// suffice.
void multiply_f32(int vector_bytes, const F32Rows& rows, const float* panels, int64_t columns,
                  const F32Epilogue& epilogue, float* to, int64_t stride);

}  // namespace nnrt::cpu
