// Maxima and minima of rows of FLOAT32 elements.
#pragma once

#include "backends/cpu/kernels/reduction/row_sums.h"

namespace nnrt::cpu {

// Joins the maximum or minimum of each row to its total, several rows at once. Returns the number of rows
// done; the caller joins the others. NaN and zeros of both signs give the bits of reduce_lanes().
int64_t join_row_maxima(const FloatRows& rows, float* totals);
int64_t join_row_minima(const FloatRows& rows, float* totals);

}  // namespace nnrt::cpu
