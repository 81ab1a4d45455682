// Transposes blocks of 32-bit elements in registers, for packing.
#pragma once

#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace nnrt::cpu {

template <int Bytes>
inline constexpr int kVectorLanes = Bytes / int(sizeof(float));

// a[from], b[from], a[from + 1], b[from + 1], ...
template <int Bytes, size_t from, size_t... i>
NNRT_INLINE Vector<Bytes> interleaved(Vector<Bytes> a, Vector<Bytes> b, std::index_sequence<i...>) {
  return __builtin_shufflevector(a, b, (i % 2 * sizeof...(i) + from + i / 2)...);
}

// Each pass moves the top bit of a row's number to the bottom of its elements' lanes, and that of the lane to
// the bottom of the row.
template <int Bytes>
NNRT_INLINE void transpose(Vector<Bytes> (&rows)[kVectorLanes<Bytes>]) {
  constexpr int kLanes = kVectorLanes<Bytes>, kHalf = kLanes / 2;
  constexpr std::make_index_sequence<size_t(kLanes)> kAll;
#pragma GCC unroll 4
  for (int pass = 1; pass < kLanes; pass *= 2) {
    Vector<Bytes> next[kLanes];
#pragma GCC unroll 8
    for (int i = 0; i < kHalf; ++i) {
      next[2 * i] = interleaved<Bytes, 0>(rows[i], rows[i + kHalf], kAll);
      next[2 * i + 1] = interleaved<Bytes, size_t(kHalf)>(rows[i], rows[i + kHalf], kAll);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) rows[i] = next[i];
  }
}

// `count` rows of `length` elements, `step` apart, at any address.
struct TransposedRows {
  const float* data;
  int64_t step, count, length;
};

// to[k * lanes + r] = element k of row r, or 0 if there is no such row. `lanes` is a multiple of the
// vector's.
template <int Bytes>
NNRT_INLINE void transpose_rows(const TransposedRows& rows, int64_t lanes, float* to) {
  constexpr int64_t kLanes = kVectorLanes<Bytes>;
  constexpr int64_t kDepth = 128;  // elements of each row whose transpose stays in L1
  if (rows.length < kLanes) {
    for (int64_t k = 0; k < rows.length; ++k)
      for (int64_t r = 0; r < lanes; ++r)
        store<4>(to + k * lanes + r, r < rows.count ? load<4>(rows.data + r * rows.step + k) : Vector<4>{});
    return;
  }
  for (int64_t begin = 0; begin < rows.length; begin += kDepth) {
    const int64_t end = std::min(begin + kDepth, rows.length);
    for (int64_t first = 0; first < lanes; first += kLanes) {
      for (int64_t block = begin; block < end; block += kLanes) {
        const int64_t k = std::min(block, rows.length - kLanes);  // the last block may overlap
        Vector<Bytes> square[kLanes];
#pragma GCC unroll 16
        for (int64_t i = 0; i < kLanes; ++i)
          square[i] =
              first + i < rows.count ? load<Bytes>(rows.data + (first + i) * rows.step + k) : Vector<Bytes>{};
        transpose<Bytes>(square);
#pragma GCC unroll 16
        for (int64_t i = 0; i < kLanes; ++i) store<Bytes>(to + (k + i) * lanes + first, square[i]);
      }
    }
  }
}

}  // namespace nnrt::cpu
