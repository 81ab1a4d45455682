#include "backends/cpu/kernels/reduction/row_sums.h"

#include "backends/cpu/simd/int8_rounding.h"
#include "backends/cpu/simd/simd.h"

namespace nnrt::cpu {

#if defined(__x86_64__)
namespace {

constexpr int kRows = 8, kLanes = 8;

template <bool kSquares>
[[NNRT_TARGET_AVX512, gnu::always_inline]] inline __m512d term(__m512d x) {
  return kSquares ? _mm512_mul_pd(x, x) : x;
}

// The sum of the lanes of each row: lanes 4 apart, 2 apart, then neighbours.
[[NNRT_TARGET_AVX512, gnu::always_inline]] inline __m512d folded(const __m512d (&rows)[kRows]) {
  __m512d four[4], two[2];
  for (int i = 0; i < 4; ++i)
    four[i] = _mm512_add_pd(_mm512_shuffle_f64x2(rows[2 * i], rows[2 * i + 1], 0x44),
                            _mm512_shuffle_f64x2(rows[2 * i], rows[2 * i + 1], 0xee));
  for (int i = 0; i < 2; ++i)
    two[i] = _mm512_add_pd(_mm512_shuffle_f64x2(four[2 * i], four[2 * i + 1], 0x88),
                           _mm512_shuffle_f64x2(four[2 * i], four[2 * i + 1], 0xdd));
  const __m512d sums = _mm512_add_pd(_mm512_unpacklo_pd(two[0], two[1]), _mm512_unpackhi_pd(two[0], two[1]));
  return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), sums);
}

template <bool kSquares>
[[NNRT_TARGET_AVX512]] void add_eight_rows(const float* x, int64_t step, int64_t length, double* totals) {
  __m512d lanes[kRows];
  for (__m512d& row : lanes) row = _mm512_setzero_pd();
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes)
    for (int row = 0; row < kRows; ++row)
      lanes[row] =
          _mm512_add_pd(lanes[row], term<kSquares>(_mm512_cvtps_pd(_mm256_loadu_ps(x + row * step + i))));
  for (; i < length; ++i)
    for (int row = 0; row < kRows; ++row)
      lanes[row] = _mm512_mask_add_pd(lanes[row], 1, lanes[row],
                                      term<kSquares>(_mm512_set1_pd(double(x[row * step + i]))));
  _mm512_storeu_pd(totals, _mm512_add_pd(_mm512_loadu_pd(totals), folded(lanes)));
}

}  // namespace

int64_t add_row_sums(const FloatRows& rows, bool squares, double* totals) {
  if (vector_bytes() != 64) return 0;
  int64_t i = 0;
  for (; i + kRows <= rows.count; i += kRows)
    (squares ? add_eight_rows<true> : add_eight_rows<false>)(rows.x + i * rows.step, rows.step, rows.length,
                                                             totals + i);
  return i;
}

#else

int64_t add_row_sums(const FloatRows& /*rows*/, bool /*squares*/, double* /*totals*/) { return 0; }

#endif

}  // namespace nnrt::cpu
