// INT32 sums of products as FLOAT32 results: the SUB, CAST, MUL and ADD after a dynamically quantized
// product.
#pragma once

#include "backends/cpu/simd/transpose.h"
#include "backends/cpu/simd/vector_math.h"

#include <cstring>
#include <type_traits>

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

// The terms of a vector of columns.
template <int Bytes>
struct ColumnTerms {
  Elements<Bytes, uint32_t> minus{};  // wraps
  Vector<Bytes> factor = Vector<Bytes>{} + 1.0f;
  Vector<Bytes> addend = -Vector<Bytes>{};  // adding -0 changes nothing
};

// `columns` elements from `from` on, then zeros.
template <typename V>
NNRT_INLINE void load_columns(const void* from, int64_t columns, V& to) {
  constexpr auto kLanes = int64_t(sizeof(V) / sizeof(float));
  to = V{};
  if (columns >= kLanes) {
    std::memcpy(&to, from, sizeof to);
  } else if (columns > 0) {
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

// The terms of up to a vector of `columns` from `column` on.
template <int Bytes>
NNRT_INLINE void terms_at(const SumScaling& scaling, int64_t column, int64_t columns,
                          ColumnTerms<Bytes>& to) {
  product_at(scaling.minus, column, columns, to.minus);
  product_at(scaling.factor, column, columns, to.factor);
  if (scaling.addend.data != nullptr) values_at(scaling.addend, column, columns, to.addend);
}

// Without the addend.
template <int Bytes>
NNRT_INLINE void scale(const ColumnTerms<Bytes>& terms, const Elements<Bytes, uint32_t>& sums,
                       Vector<Bytes>& to) {
  to = __builtin_convertvector(Ints<Bytes>(sums - terms.minus), Vector<Bytes>) * terms.factor;
}

}  // namespace nnrt::cpu
