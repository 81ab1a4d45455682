// Row operations of attention: online softmax, and weighted sums of values for a few queries.
#pragma once

#include <cstdint>

namespace nnrt::cpu {

inline constexpr int64_t kRowFloats = 16;  // rows of products are padded to a multiple of the longest vector

// Online softmax: the running maximum, and the sum of exponentials relative to it.
struct RowSoftmax {
  float largest, total;
};

// Replaces the next products by exponentials, padded to a multiple of kRowFloats. Returns the factor by which
// previous sums of exponentials must be multiplied. A row of minus infinity gives zeros and a total of 0; NaN
// and infinity make the total NaN.
float continue_softmax(int vector_bytes, float* products, int64_t count, RowSoftmax& softmax);

// to[i] += sum over k < count of weights[k] * rows[k * width + i], for i < width.
void add_weighted_rows(int vector_bytes, const float* weights, const float* rows, int64_t count,
                       int64_t width, float* to);

}  // namespace nnrt::cpu
