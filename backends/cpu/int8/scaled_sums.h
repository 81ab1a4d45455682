// INT32 sums of products as FLOAT32 results: the SUB, CAST, MUL and ADD after a dynamically quantized
// product.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nnrt::cpu {

// A value per column, or with a step of 0 one for all of them.
template <typename T>
struct ColumnValues {
  const T* data = nullptr;  // null: none
  int64_t step = 0;
};

// The product of two values per column; one or both may be missing.
template <typename T>
struct ColumnProduct {
  ColumnValues<T> factors[2];
};

// float(sum - minus) * factor + addend, each rounded.
struct SumScaling {
  ColumnProduct<int32_t> minus;
  ColumnProduct<float> factor;
  ColumnValues<float> addend;
};

// Replaces the sums of `rows` rows, `stride` elements apart, in `columns` columns from `column` on.
void scale_sums(const SumScaling& scaling, int64_t column, int64_t columns, int64_t rows, std::byte* data,
                int64_t stride);

}  // namespace nnrt::cpu
