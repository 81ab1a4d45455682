// Sums of two INT8 tensors in fixed point, 64 elements at a time. Needs has_int8_dot().
#pragma once

#include "backends/cpu/base/element.h"
#include "backends/cpu/simd/int8_rounding.h"

#include <cstdint>

namespace nnrt::cpu {

// a * of_a + b * of_b + constant is the result with `fraction` fractional bits, plus a half for rounding.
struct FixedSum {
  bool is_usable = false;     // false: results do not fit, or the processor lacks the instructions
  int32_t high = 0, low = 0;  // factors of a and b: 256 * high + low, in 16 bits each; low is not negative
  int32_t constant = 0;
  int32_t fraction = 0, fraction_bits = 0;
  uint32_t unsure = 0;  // fractional bits below this are too close to a tie
  bool clamps = false;
  int8_t smallest = -128, largest = 127;
};

// The sum of a and sign_b * b, clamped to [smallest, largest].
FixedSum fixed_sum(Affine a, Affine b, double sign_b, Affine to, int32_t smallest, int32_t largest);

// An operand of one run; a step of 0 repeats its first element, or block of elements.
struct Operand {
  const int8_t* data;
  int64_t step;
};

inline constexpr int64_t kSumBlock = 64;

#if defined(__x86_64__)
// The kSumBlock sums of x and y. Returns false if one is too close to a tie.
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline bool add_bytes(const FixedSum& sum, __m512i x, __m512i y,
                                                               __m512i& result) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i low = _mm512_unpacklo_epi8(x, y), high = _mm512_unpackhi_epi8(x, y);
  // A pair of words per element: 256 * a and 256 * b.
  const __m512i pairs[4] = {_mm512_unpacklo_epi8(zero, low), _mm512_unpackhi_epi8(zero, low),
                            _mm512_unpacklo_epi8(zero, high), _mm512_unpackhi_epi8(zero, high)};
  // Shifts by a vector are one instruction inside the processor, by a register two.
  const __m512i shift = _mm512_set1_epi32(sum.fraction), fraction = _mm512_set1_epi32(sum.fraction_bits);
  // Words hold 256 times a code, and their upper bytes the code.
  const __m512i low_bytes = _mm512_set1_epi32(int32_t(uint32_t(sum.low) << 8));
  __m512i rounded[4], nearest = _mm512_set1_epi32(-1);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    __m512i value = _mm512_set1_epi32(sum.constant);
    value = _mm512_dpwssd_epi32(value, pairs[i], _mm512_set1_epi32(sum.high));
    value = _mm512_dpbusd_epi32(value, low_bytes, pairs[i]);
    nearest = _mm512_min_epu32(nearest, _mm512_and_si512(value, fraction));
    rounded[i] = _mm512_srav_epi32(value, shift);
  }
  result = _mm512_packs_epi16(_mm512_packs_epi32(rounded[0], rounded[1]),
                              _mm512_packs_epi32(rounded[2], rounded[3]));
  if (sum.clamps)
    result = _mm512_min_epi8(_mm512_max_epi8(result, _mm512_set1_epi8(sum.smallest)),
                             _mm512_set1_epi8(sum.largest));
  return _mm512_cmplt_epu32_mask(nearest, _mm512_set1_epi32(int32_t(sum.unsure))) == 0;
}
#endif

// Stores blocks of kSumBlock sums, up to the first block with a result that is too close to a tie. Returns
// the number of blocks stored.
int64_t add_blocks(const FixedSum& sum, Operand a, Operand b, int64_t blocks, int8_t* to);

}  // namespace nnrt::cpu
