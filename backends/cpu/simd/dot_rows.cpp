#include "backends/cpu/simd/dot_rows.h"

#include "backends/cpu/simd/vector_math.h"

namespace nnrt::cpu {
namespace {

template <int Bytes, int Rows>
NNRT_INLINE void dot_some(const DotRows& rows, int64_t row, const float* column, float* sums) {
  using V = Vector<Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(float));
  V totals[Rows] = {};
  float rest[Rows] = {};
  for (int64_t tap = 0; tap < rows.taps; ++tap, column += rows.tap_floats) {
    const float* const* const part = rows.parts + tap * rows.part_step + row;
    int64_t k = 0;
    for (; k + kLanes <= rows.tap_floats; k += kLanes) {
      const V weight = load<Bytes>(column + k);
      for (int r = 0; r < Rows; ++r)
        totals[r] = multiply_add<Bytes>(weight, load<Bytes>(part[r] + k), totals[r]);
    }
    for (; k < rows.tap_floats; ++k)
      for (int r = 0; r < Rows; ++r) rest[r] += column[k] * part[r][k];
  }
  for (int r = 0; r < Rows; ++r) sums[row + r] = sum_of_lanes(totals[r]) + rest[r];
}

}  // namespace

void dot_rows(int vector_bytes, const DotRows& rows, const float* column, float* sums) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        int64_t row = 0;
        for (; row + 4 <= rows.count; row += 4) dot_some<bytes, 4>(rows, row, column, sums);
        for (; row < rows.count; ++row) dot_some<bytes, 1>(rows, row, column, sums);
      });
}

}  // namespace nnrt::cpu
