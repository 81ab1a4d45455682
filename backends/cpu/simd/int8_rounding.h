// Rounds 64-byte vectors of floats to quantized values and flags lanes that float precision cannot decide.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

namespace nnrt::cpu {

// The instruction sets that vector_bytes() == 64 implies.
#define NNRT_TARGET_AVX512 gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2")
// Those that has_int8_dot() implies on x86.
#define NNRT_TARGET_VNNI gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")

// Steps of unrolled kernels are inlined, except where Clang's address sanitizer checks every access, and
// every lane of a masked one: then their copies would take most of the compile time.
#define NNRT_KERNEL_STEP gnu::always_inline
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef NNRT_KERNEL_STEP
#define NNRT_KERNEL_STEP gnu::noinline
#endif
#endif

// The first `count` of 16 lanes.
[[gnu::always_inline]] inline __mmask16 first_lanes(int64_t count) {
  return __mmask16(count >= 16 ? 0xffff : count <= 0 ? 0 : (1u << count) - 1);
}

// Clamps `value` to [low, high] and rounds it; everything excludes the zero point, results are 32 bits each.
// `unsure` marks lanes farther than `sure` from an integer, i.e. close to a tie; clamped values are integers.
[[NNRT_TARGET_AVX512, gnu::always_inline]] inline __m512i round_to_quantized(__m512 value, __m512 low,
                                                                             __m512 high, __m512 sure,
                                                                             __mmask16& unsure) {
  const __m512 kRounder = _mm512_set1_ps(12582912.0f);  // adding it rounds to an integer
  value = _mm512_min_ps(_mm512_max_ps(value, low), high);
  const __m512 raised = _mm512_add_ps(value, kRounder);
  const __m512 off = _mm512_abs_ps(_mm512_sub_ps(value, _mm512_sub_ps(raised, kRounder)));
  unsure = _mm512_cmp_ps_mask(off, sure, _CMP_GT_OQ);
  return _mm512_sub_epi32(_mm512_castps_si512(raised), _mm512_castps_si512(kRounder));
}

}  // namespace nnrt::cpu
#endif
