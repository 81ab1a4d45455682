// Sums of rows of FLOAT32 elements in double.
#pragma once

#include <cstdint>

namespace nnrt::cpu {

// Rows of `length` contiguous elements, `step` apart.
struct FloatRows {
  const float* x;
  int64_t step, length, count;
};

// Adds the sum of each row, or of its squares, to its total, several rows at once. Returns the number of
// rows done; the caller adds the others. Sums are rounded as by reduce_lanes() with eight lanes.
int64_t add_row_sums(const FloatRows& rows, bool squares, double* totals);

}  // namespace nnrt::cpu
