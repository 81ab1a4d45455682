// GEMMs in floats, cut into tiles that the threads share. Quantized values enter as differences to their zero
// point, which floats hold exactly; their sums are exact 32-bit integers.
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

// The type of sums of products of elements.
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
  // panel[k * width + c] becomes element k of column first + c, or 0 where there is no such column.
  std::function<void(int64_t first, int width, float* panel)> fill;
  // One column in contiguous floats: memory of its own or `scratch`, of `inner` floats. Empty where columns
  // do not lie contiguously.
  std::function<const float*(int64_t column, float* scratch)> column;
};

// A block of the result: rows x columns sums.
template <typename Sum>
struct Sums {
  int64_t row = 0, column = 0;  // the first sum's place
  int64_t rows = 0, columns = 0;
  const Sum* data = nullptr;
  int64_t stride = 0;
};

// The right operand as GEMMs of more than a few rows want it.
size_t packed_floats(int64_t columns, int64_t inner);
void pack(const RightOperand& right, int64_t columns, int64_t inner, ThreadPool& pool, float* packed);
bool wants_panels(int64_t rows, const RightOperand& right);

template <typename Sum>
struct GenericGemm {
  int64_t rows = 0, columns = 0, inner = 0;
  // Rows [begin, end): memory of their own, or written to `scratch`, which grows as needed.
  std::function<RowBlock(int64_t begin, int64_t end, std::vector<float>& scratch)> left = {};
  RightOperand right = {};
  const float* panels = nullptr;  // the right operand, where it is packed already
  // Called from several threads, once for each element of the result.
  std::function<void(const Sums<Sum>&)> store = {};
};

// Sums wrap around (R13); as floats they are summed in blocks.
template <typename Sum>
void multiply(const GenericGemm<Sum>& gemm, ThreadPool& pool);

// The matrix whose column c is data[c * stride + k] for k < inner.
template <typename T>
RightOperand contiguous_columns(const T* data, int64_t stride, int64_t columns, int64_t inner,
                                std::span<const int32_t> zero_points);
// The matrix whose column c is data[k * stride + c] for k < inner.
template <typename T>
RightOperand contiguous_rows(const T* data, int64_t stride, int64_t columns, int64_t inner,
                             int32_t zero_point);

}  // namespace nnrt::cpu
