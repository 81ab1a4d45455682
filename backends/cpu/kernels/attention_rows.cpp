#include "backends/cpu/kernels/attention_rows.h"

#include "backends/cpu/simd/vector_math.h"
#include "core/base/divide_up.h"

#include <cmath>
#include <limits>

namespace nnrt::cpu {
namespace {

// exp(x) for x <= 0; may flush subnormals to 0. Propagates NaN.
template <int Bytes>
NNRT_INLINE void exp_of_negative(Vector<Bytes>& x) {
#if defined(__x86_64__)
  if constexpr (Bytes == 64) return exp_by_scaling(x);
#endif
  constexpr float kSmallest = -87.0f;
  const Vector<Bytes> from = x;
  x = x < kSmallest ? Vector<Bytes>{} + kSmallest : x;
  ExpParts<Bytes> parts;
  split_exp<Bytes>(x, parts);
  scale_by_power<Bytes>(parts.y, parts.n_bits);
  x = parts.y;
  x = from < kSmallest ? Vector<Bytes>{} : x;
}

// Ignores NaN.
template <int Bytes>
NNRT_INLINE float largest_in(const float* values, int64_t count, float than) {
  using V = Vector<Bytes>;
  V largest = V{} + than;
  for (int64_t i = 0; i < count; i += Bytes / int64_t(sizeof(float))) {
    const V x = load<Bytes>(values + i);
    largest = largest < x ? x : largest;
  }
  return joined_lanes(
      largest, [](auto& a, const auto& b) __attribute__((always_inline)) { a = a < b ? b : a; });
}

template <int Bytes>
NNRT_INLINE float exponentials(float* values, int64_t count, float offset) {
  using V = Vector<Bytes>;
  V sums{};
  for (int64_t i = 0; i < count; i += Bytes / int64_t(sizeof(float))) {
    V x = load<Bytes>(values + i) - offset;
    exp_of_negative<Bytes>(x);
    store<Bytes>(values + i, x);
    sums += x;
  }
  return sum_of_lanes(sums);
}

// Columns [column, column + Vectors * lanes), accumulated in registers.
template <int Bytes, int Vectors>
NNRT_INLINE void add_columns(const float* weights, const float* rows, int64_t count, int64_t width,
                             float* to) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  Vector<Bytes> sums[Vectors];
  for (int v = 0; v < Vectors; ++v) sums[v] = load<Bytes>(to + v * kLanes);
  for (int64_t k = 0; k < count; ++k)
    for (int v = 0; v < Vectors; ++v) sums[v] += weights[k] * load<Bytes>(rows + k * width + v * kLanes);
  for (int v = 0; v < Vectors; ++v) store<Bytes>(to + v * kLanes, sums[v]);
}

}  // namespace

float continue_softmax(int vector_bytes, float* products, int64_t count, RowSoftmax& softmax) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const int64_t whole = round_up(count, kRowFloats);
  for (int64_t i = count; i < whole; ++i) products[i] = -kInfinity;
  const float before = softmax.largest;
  float factor = 1;
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        softmax.largest = largest_in<bytes>(products, whole, before);
        // All values are minus infinity: the exponentials are zeros, and NaN is kept.
        const float offset = softmax.largest == -kInfinity ? 0 : softmax.largest;
        if (before != offset) factor = before == -kInfinity ? 0 : std::exp(before - offset);
        softmax.total = softmax.total * factor + exponentials<bytes>(products, whole, offset);
      });
  return factor;
}

void add_weighted_rows(int vector_bytes, const float* weights, const float* rows, int64_t count,
                       int64_t width, float* to) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        constexpr int kVectors = 4;
        int64_t column = 0;
        for (; column + kVectors * kLanes <= width; column += kVectors * kLanes)
          add_columns<bytes, kVectors>(weights, rows + column, count, width, to + column);
        for (; column + kLanes <= width; column += kLanes)
          add_columns<bytes, 1>(weights, rows + column, count, width, to + column);
        for (int64_t k = 0; k < count; ++k)
          for (int64_t i = column; i < width; ++i) to[i] += weights[k] * rows[k * width + i];
      });
}

}  // namespace nnrt::cpu
