#include "backends/cpu/kernels/reduction/row_extremes.h"

#include "backends/cpu/simd/transpose.h"

#include <limits>

namespace nnrt::cpu {
namespace {

struct Maxima {
  static constexpr float kStart = -std::numeric_limits<float>::infinity();
  template <typename V>
  NNRT_INLINE static void join(V& a, const V& b) {
    a = a < b ? b : a;
  }
};
struct Minima {
  static constexpr float kStart = std::numeric_limits<float>::infinity();
  template <typename V>
  NNRT_INLINE static void join(V& a, const V& b) {
    a = b < a ? b : a;
  }
};

// The first or second half of each group of `width` lanes: of all groups of `a`, then of `b`, or, if a group
// is no longer than 16 bytes, alternately from 16 bytes of each.
template <int Bytes, size_t width, size_t second, size_t... i>
NNRT_INLINE Vector<Bytes> halves(Vector<Bytes> a, Vector<Bytes> b, std::index_sequence<i...>) {
  constexpr size_t kLanes = sizeof...(i), kBlock = width > 4 ? kLanes : 4, kHalf = width / 2;
  return __builtin_shufflevector(a, b,
                                 (i % kBlock / (kBlock / 2) * kLanes + i / kBlock * kBlock +
                                  i % (kBlock / 2) / kHalf * width + second * kHalf + i % kHalf)...);
}

template <typename Extreme, int Bytes, size_t width>
NNRT_INLINE void fold_pair(Vector<Bytes>& a, const Vector<Bytes>& b) {
  constexpr std::make_index_sequence<size_t(kVectorLanes<Bytes>)> kAll;
  const Vector<Bytes> high = halves<Bytes, width, 1>(a, b, kAll);
  a = halves<Bytes, width, 0>(a, b, kAll);
  Extreme::join(a, high);
}

// Halves the groups of `width` lanes of pairs of rows, `distance` apart, which then share the first one's
// vector.
template <typename Extreme, int Bytes, size_t width, int distance, int... first>
NNRT_INLINE void fold_pairs(Vector<Bytes> (&rows)[kVectorLanes<Bytes>]) {
  (fold_pair<Extreme, Bytes, width>(rows[first], rows[first + distance]), ...);
}

// Reduces each row to one lane: lane i of rows[0] becomes the maximum or minimum of rows[i].
template <typename Extreme, int Bytes>
NNRT_INLINE void fold(Vector<Bytes> (&rows)[kVectorLanes<Bytes>]) {
  if constexpr (Bytes == 64) {
    fold_pairs<Extreme, Bytes, 16, 4, 0, 1, 2, 3, 8, 9, 10, 11>(rows);
    fold_pairs<Extreme, Bytes, 8, 8, 0, 1, 2, 3>(rows);
  } else if constexpr (Bytes == 32) {
    fold_pairs<Extreme, Bytes, 8, 4, 0, 1, 2, 3>(rows);
  }
  fold_pairs<Extreme, Bytes, 4, 1, 0, 2>(rows);
  fold_pairs<Extreme, Bytes, 2, 2, 0>(rows);
}

// The extremes of elements that are `lanes` apart, whose halves are then joined until they fill a vector.
template <typename Extreme, int Bytes, int64_t lanes>
NNRT_INLINE Vector<Bytes> extremes_of(const float* x, int64_t length) {
  constexpr int64_t kStep = kVectorLanes<Bytes>, kVectors = lanes / kStep;
  Vector<Bytes> totals[kVectors];
#pragma GCC unroll 8
  for (auto& total : totals) total = Vector<Bytes>{} + Extreme::kStart;
  const auto join_at = [&](const float* from) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int64_t i = 0; i < kVectors; ++i) Extreme::join(totals[i], load<Bytes>(from + i * kStep));
  };
  int64_t i = 0;
  for (; i + lanes <= length; i += lanes) join_at(x + i);
  if (i < length) join_at(x + length - lanes);
#pragma GCC unroll 4
  for (int64_t half = kVectors / 2; half > 0; half /= 2)
#pragma GCC unroll 4
    for (int64_t v = 0; v < half; ++v) Extreme::join(totals[v], totals[v + half]);
  return totals[0];
}

template <typename Extreme, int Bytes, int64_t lanes>
NNRT_INLINE int64_t join_rows(const FloatRows& rows, float* totals) {
  constexpr int64_t kRows = kVectorLanes<Bytes>;
  int64_t first = 0;
  for (; first + kRows <= rows.count; first += kRows) {
    Vector<Bytes> each[kRows];
#pragma GCC unroll 16
    for (int64_t i = 0; i < kRows; ++i)
      each[i] = extremes_of<Extreme, Bytes, lanes>(rows.x + (first + i) * rows.step, rows.length);
    fold<Extreme, Bytes>(each);
    Vector<Bytes> total = load<Bytes>(totals + first);
    Extreme::join(total, each[0]);
    store<Bytes>(totals + first, total);
  }
  return first;
}

template <typename Extreme>
int64_t join_extremes(const FloatRows& rows, float* totals) {
  int64_t done = 0;
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        constexpr int kBytes = bytes;
        done = rows.length >= 32 ? join_rows<Extreme, kBytes, 32>(rows, totals)
                                 : join_rows<Extreme, std::min(kBytes, 32), 8>(rows, totals);
      });
  return done;
}

}  // namespace

int64_t join_row_maxima(const FloatRows& rows, float* totals) { return join_extremes<Maxima>(rows, totals); }
int64_t join_row_minima(const FloatRows& rows, float* totals) { return join_extremes<Minima>(rows, totals); }

}  // namespace nnrt::cpu
