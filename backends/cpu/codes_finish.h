// From 32-bit sums to codes of the output, in vectors of the instructions that has_code_dots() tells of.
#pragma once

#include "backends/cpu/codes_block.h"
#include "backends/cpu/codes_round.h"

#if defined(__x86_64__)
namespace nnrt::cpu {

#define NNRT_CODE_DOTS gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")

// Computes again, exactly, the codes that the mask tells: a float result was too near a half.
[[NNRT_CODE_DOTS]] __m512i round_exactly(__m512i sums, __m512i codes, uint32_t mask, const CodeTerms& terms,
                                         int64_t channel);

// The parts of the terms that are the same for all channels, in registers.
struct CodeFinish {
  __m512 low, high;  // without the zero point
  __m512i zero_point;
};
[[NNRT_CODE_DOTS, gnu::always_inline]] inline CodeFinish finish_of(const CodeTerms& terms) {
  return {_mm512_set1_ps(float(terms.low - terms.zero_point)),
          _mm512_set1_ps(float(terms.high - terms.zero_point)), _mm512_set1_epi32(terms.zero_point)};
}

// Sums with their offsets -> codes as 32 bits each. `columns` exist.
[[NNRT_CODE_DOTS, gnu::always_inline]] inline __m512i to_codes(__m512i sums, __m512 scale, __mmask16 columns,
                                                               const CodeFinish& finish,
                                                               const CodeTerms& terms, int64_t channel) {
  // Of results that matter, below 512, the scale's rounding and three operations err by less than 1e-4.
  const __m512 kSure = _mm512_set1_ps(0.5f - 1e-4f);
  const __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale);
  __mmask16 unsure = 0;
  __m512i codes =
      _mm512_add_epi32(round_codes(value, finish.low, finish.high, kSure, unsure), finish.zero_point);
  unsure &= columns;
  if (__builtin_expect(unsure != 0, 0)) codes = round_exactly(sums, codes, unsure, terms, channel);
  return codes;
}

}  // namespace nnrt::cpu
#endif
