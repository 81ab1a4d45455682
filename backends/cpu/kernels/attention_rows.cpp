#include "backends/cpu/kernels/attention_rows.h"

#include "backends/cpu/simd/vector_math.h"

namespace nnrt::cpu {
namespace {

// Columns [column, column + Vectors * lanes), whose sums stay in registers.
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
