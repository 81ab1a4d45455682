// What attention does with some rows of few floats: those of queries that are not worth a gemm.
#pragma once

#include <cstdint>

namespace nnrt::cpu {

// to[i] += sum over k < count of weights[k] * rows[k * width + i], for i < width.
void add_weighted_rows(int vector_bytes, const float* weights, const float* rows, int64_t count,
                       int64_t width, float* to);

}  // namespace nnrt::cpu
