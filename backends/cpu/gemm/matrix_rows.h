// Matrix rows, for for_tiles().
#pragma once

#include "backends/cpu/gemm/gemm_tiling.h"
#include "core/schema/geometry.h"

namespace nnrt::cpu {

// Rows of a matrix, contiguous or [inner][rows]; copied if they are not a multiple of the step.
template <typename T>
struct MatrixRows {
  const T* data;
  int64_t rows, inner;
  bool transposed;

  int64_t padded() const { return whole_steps<T>(inner); }
  bool copies() const { return transposed || padded() != inner; }
  bool has_fixed_stride() const { return std::is_same_v<T, float> && !copies(); }
  const T* row_at(int64_t row) const { return data + row * inner; }
  int64_t bytes(int64_t count) const { return copies() ? count * padded() * int64_t(sizeof(T)) : 0; }
  void operator()(int64_t begin, int64_t count, int64_t, const T** parts, T* memory) const {
    if (!copies()) {
      for (int64_t r = 0; r < count; ++r) parts[r] = data + (begin + r) * inner;
      return;
    }
    const int64_t row_step = transposed ? 1 : inner, inner_step = transposed ? rows : 1;
    for (int64_t r = 0; r < count; ++r) {
      T* const copy = memory + r * padded();
      const T* const from = data + (begin + r) * row_step;
      for (int64_t k = 0; k < inner; ++k) copy[k] = from[k * inner_step];
      std::fill(copy + inner, copy + padded(), T{});
      parts[r] = copy;
    }
  }
};

inline GemmProblem gemm_problem_of(const MatMul& work, bool has_bias) {
  GemmProblem gemm;
  gemm.rows = work.rows;
  gemm.columns = work.columns;
  gemm.tap_elements = gemm.row_elements = work.inner;
  gemm.has_bias = has_bias;
  gemm.columns_first = work.transpose_b;
  return gemm;
}

}  // namespace nnrt::cpu
