// Dot products of several rows with one column: vectors run along the inner dimension, so they are full even
// for one column.
#pragma once

#include <cstdint>

namespace nnrt::cpu {

// `count` rows: row r has `taps` parts of `tap_floats` floats, at parts[tap * part_step + r].
struct DotRows {
  const float* const* parts;
  int64_t part_step, taps, tap_floats, count;
};

// sums[r] = row r times the column, [taps][tap_floats].
void dot_rows(int vector_bytes, const DotRows& rows, const float* column, float* sums);

}  // namespace nnrt::cpu
