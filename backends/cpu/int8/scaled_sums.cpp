#include "backends/cpu/int8/scaled_sums.h"

#include "backends/cpu/simd/transpose.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace nnrt::cpu {
namespace {

template <int Bytes>
using Words = Elements<Bytes, uint32_t>;  // wraps

// The terms of a vector of columns.
template <int Bytes>
struct ColumnTerms {
  Words<Bytes> minus;
  Vector<Bytes> factor, addend;
};

// `columns` elements from `from` on, then zeros.
template <typename V>
NNRT_INLINE void load_columns(const void* from, int64_t columns, V& to) {
  constexpr auto kLanes = int64_t(sizeof(V) / sizeof(float));
  to = V{};
  if (columns >= kLanes) {
    std::memcpy(&to, from, sizeof to);
  } else {
    std::memcpy(&to, from, size_t(columns) * sizeof(float));
  }
}

template <typename V, typename T>
NNRT_INLINE void values_at(const ColumnValues<T>& from, int64_t column, int64_t columns, V& to) {
  if (from.step == 0) {
    using Lane = std::remove_reference_t<decltype(to[0])>;
    to = Lane(*from.data) - V{};  // not +, which would change the sign of -0
  } else {
    load_columns(from.data + column, columns, to);
  }
}

// Leaves `to` as it is if both factors are missing.
template <typename V, typename T>
NNRT_INLINE void product_at(const ColumnProduct<T>& from, int64_t column, int64_t columns, V& to) {
  const auto& [first, second] = from.factors;
  if (first.data == nullptr) return;
  values_at(first, column, columns, to);
  if (second.data == nullptr) return;
  V by;
  values_at(second, column, columns, by);
  to *= by;
}

// Adding 0 would change the sign of -0.
template <int Bytes, bool Adds>
NNRT_INLINE void scale_rows(const ColumnTerms<Bytes>& terms, int64_t columns, int64_t rows, float* data,
                            int64_t stride) {
  constexpr int64_t kLanes = kVectorLanes<Bytes>;
  for (int64_t r = 0; r < rows; ++r, data += stride) {
    Words<Bytes> sums;
    load_columns(data, columns, sums);
    Vector<Bytes> scaled =
        __builtin_convertvector(Ints<Bytes>(sums - terms.minus), Vector<Bytes>) * terms.factor;
    if constexpr (Adds) scaled += terms.addend;
    if (columns >= kLanes) {
      store<Bytes>(data, scaled);
    } else {
      std::memcpy(data, &scaled, size_t(columns) * sizeof(float));
    }
  }
}

template <int Bytes, bool Adds>
NNRT_INLINE void scale_columns(const SumScaling& scaling, int64_t column, int64_t columns, int64_t rows,
                               float* data, int64_t stride) {
  constexpr int64_t kLanes = kVectorLanes<Bytes>;
  for (int64_t i = 0; i < columns; i += kLanes) {
    const int64_t count = std::min(kLanes, columns - i);
    ColumnTerms<Bytes> terms{{}, Vector<Bytes>{} + 1.0f, {}};
    product_at(scaling.minus, column + i, count, terms.minus);
    product_at(scaling.factor, column + i, count, terms.factor);
    if constexpr (Adds) values_at(scaling.addend, column + i, count, terms.addend);
    if (count == kLanes) {
      scale_rows<Bytes, Adds>(terms, kLanes, rows, data + i, stride);
    } else {
      scale_rows<Bytes, Adds>(terms, count, rows, data + i, stride);
    }
  }
}

}  // namespace

void scale_sums(const SumScaling& scaling, int64_t column, int64_t columns, int64_t rows, std::byte* data,
                int64_t stride) {
  auto* const first = reinterpret_cast<float*>(data);
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        if (scaling.addend.data != nullptr) {
          scale_columns<bytes, true>(scaling, column, columns, rows, first, stride);
        } else {
          scale_columns<bytes, false>(scaling, column, columns, rows, first, stride);
        }
      });
}

}  // namespace nnrt::cpu
