// The innermost loops of float products: a block of sums that stays in
// registers until it is stored.
#pragma once

#include <cstdint>

namespace nnrt::cpu {

// How many rows and columns a block has, for vectors of so many bytes.
struct FloatBlock {
  int rows, lanes, columns;  // columns of a panel: two vectors of lanes
};
inline constexpr int kMostFloatRows = 8;
inline constexpr int kMostFloatColumns = 32;
constexpr FloatBlock float_block(int vector_bytes) {
  const int lanes = vector_bytes / int(sizeof(float));
  return {vector_bytes == 64 ? kMostFloatRows : 6, lanes, 2 * lanes};
}

// Rows of floats, given where each of `taps` parts of each begins: tap by tap, `tap_rows` pointers each.
struct FloatRows {
  const float* const* parts = nullptr;
  int64_t tap_rows = 0;
  int64_t taps = 1;
  int64_t tap_floats = 0;
  int count = 0;  // of rows, up to float_block().rows; the pointers of others are not read
};

// What becomes of a sum: clamp(clamp(sum + bias) + other).
struct FloatFinish {
  const float* bias = nullptr;  // of the columns
  float low = 0, high = 0;
  const float* other = nullptr;  // as the result lies; null: none
  float other_low = 0, other_high = 0;
};

// Results of `columns` columns, up to those of a panel; those of row r at to +
// r * stride. `panel` is [taps] [tap_floats][lanes], lanes being those of one
// vector where they suffice, else of two.
void multiply_floats(int vector_bytes, const FloatRows& rows, const float* panel, const FloatFinish& finish,
                     int columns, float* to, int64_t stride);

}  // namespace nnrt::cpu
