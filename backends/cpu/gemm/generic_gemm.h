// GEMM in float, in tiles shared by the threads. Quantized operands are centered on their zero point, which
// is exact in float; their sums are exact 32-bit integers.
#pragma once

#include "backends/cpu/base/thread_pool.h"
#include "core/base/fp16.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace nnrt::cpu {

// The accumulator type for products of elements.
template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, int8_t>, int32_t, float>;

inline float widened(float x, int32_t /*zero_point*/) { return x; }
inline float widened(Half x, int32_t /*zero_point*/) { return to_float(x); }
inline float widened(int8_t x, int32_t zero_point) { return float(x - zero_point); }

// Rows of a left operand, `inner` floats each.
struct RowBlock {
  const float* data = nullptr;
  int64_t stride = 0;
};

// The columns of a right operand.
struct RightOperand {
  // Sets panel[k * width + c] to element k of column first + c, or 0 if there is no such column.
  std::function<void(int64_t first, int width, float* panel)> fill;
  // Returns a column of `inner` contiguous floats, in place or in `scratch`. Empty if columns are not
  // contiguous.
  std::function<const float*(int64_t column, float* scratch)> column;
  // Columns in place, instead of `fill`: element k of column first + c is lines(first)[offsets[k] + c], which
  // is readable for all columns of a panel.
  std::function<const float*(int64_t first)> lines;
  const int64_t* offsets = nullptr;
};

// A block of the result: rows x columns sums.
template <typename Sum>
struct Sums {
  int64_t row = 0, column = 0;  // coordinates of the first sum
  int64_t rows = 0, columns = 0;
  const Sum* data = nullptr;
  int64_t stride = 0;
};

// The right operand packed for GEMMs of more than a few rows.
size_t packed_floats(int64_t columns, int64_t inner);
void pack(const RightOperand& right, int64_t columns, int64_t inner, ThreadPool& pool, float* packed);
bool wants_panels(int64_t rows, const RightOperand& right);

template <typename Sum>
struct GenericGemm {
  int64_t rows = 0, columns = 0, inner = 0;
  // Rows [begin, end): in place, or written to `scratch`, which may be resized.
  std::function<RowBlock(int64_t begin, int64_t end, std::vector<float>& scratch)> left = {};
  RightOperand right = {};
  const float* panels = nullptr;  // the packed right operand, if available
  // Called from several threads, once per element of the result.
  std::function<void(const Sums<Sum>&)> store = {};
};

// Integer sums wrap (R13); float sums are accumulated in blocks.
template <typename Sum>
void multiply(const GenericGemm<Sum>& gemm, ThreadPool& pool);

// Column c is data[c * stride + k] for k < inner.
template <typename T>
RightOperand contiguous_columns(const T* data, int64_t stride, int64_t columns, int64_t inner,
                                std::span<const int32_t> zero_points);
// Column c is data[k * stride + c] for k < inner.
template <typename T>
RightOperand contiguous_rows(const T* data, int64_t stride, int64_t columns, int64_t inner,
                             int32_t zero_point);

}  // namespace nnrt::cpu
