// GEMM microkernels: a block of sums stays in registers.
#pragma once

#include "backends/cpu/simd/simd.h"

namespace nnrt::cpu {

// Maximum block size.
struct BlockSize {
  int rows, columns;
};
constexpr int kMaxBlockRows = 8;
constexpr int kMaxBlockColumns = 32;
constexpr BlockSize block_size(int vector_bytes) {
  return {vector_registers(vector_bytes) == 32 ? kMaxBlockRows : 6, 2 * vector_bytes / int(sizeof(float))};
}

// sums[r * columns + c] = sum over k < inner of left[r * stride + k] * panel[k * columns + c].
void block_sums(int vector_bytes, int rows, const float* left, int64_t stride, const float* panel,
                int64_t inner, float* sums);

// Element k of column c is data[offsets[k] + c].
struct ShiftedLines {
  const float* data = nullptr;
  const int64_t* offsets = nullptr;
};
// Like the above, for columns read in place.
void block_sums(int vector_bytes, int rows, const float* left, int64_t stride, const ShiftedLines& lines,
                int64_t inner, float* sums);

// sums[i] = sum over k < inner of a[k] * b[i * inner + k].
void inner_products(int vector_bytes, const float* a, const float* b, int64_t inner, int64_t count,
                    float* sums);

// Up to a few rows of `inner` floats.
struct NarrowRows {
  const float* data;
  int64_t count, inner;
};
// sums[r * sum_stride + c] = sum over k < inner of rows[r][k] * lines[k * stride + c], for c < count.
void line_products(int vector_bytes, const NarrowRows& rows, const float* lines, int64_t stride,
                   int64_t count, float* sums, int64_t sum_stride);

inline float dot(int vector_bytes, const float* a, const float* b, int64_t inner) {
  float sum = 0;
  inner_products(vector_bytes, a, b, inner, 1, &sum);
  return sum;
}

}  // namespace nnrt::cpu
