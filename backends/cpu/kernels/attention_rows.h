// Rows of attention: the softmax of products, and the values of a few queries.
#pragma once

#include <cstdint>

namespace nnrt::cpu {

inline constexpr int64_t kRowFloats =
    16;  // rows of products are as long as the longest vectors, or a multiple

// A softmax that goes on from one part of a row to the next: the largest of its products so far, and the sum
// of their exponentials relative to it.
struct RowSoftmax {
  float largest, total;
};

// Makes exponentials of the next products, up to a multiple of kRowFloats. Returns what all that was computed
// of the exponentials before is to be multiplied by. A row of nothing but minus infinity has zeros, and the
// total 0; NaN and infinity make the total NaN.
float continue_softmax(int vector_bytes, float* products, int64_t count, RowSoftmax& softmax);

// to[i] += sum over k < count of weights[k] * rows[k * width + i], for i < width.
void add_weighted_rows(int vector_bytes, const float* weights, const float* rows, int64_t count,
                       int64_t width, float* to);

}  // namespace nnrt::cpu
