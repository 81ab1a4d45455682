// Masked loads, with 0 in the other lanes, and masked stores.
#pragma once

#if defined(__x86_64__)
#include "backends/cpu/simd/int8_rounding.h"

namespace nnrt::cpu {

[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline __m512i load_masked_bytes(__mmask64 mask, const void* from) {
  return _mm512_maskz_loadu_epi8(mask, from);
}
[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline __m256i load_masked_bytes_256(__mmask32 mask,
                                                                              const void* from) {
  return _mm256_maskz_loadu_epi8(mask, from);
}
[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline __m512i load_masked_ints(__mmask16 mask, const void* from) {
  return _mm512_maskz_loadu_epi32(mask, from);
}
[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline __m512 load_masked_floats(__mmask16 mask, const void* from) {
  return _mm512_maskz_loadu_ps(mask, from);
}

[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline void store_masked_bytes(void* to, __mmask64 mask,
                                                                        __m512i bytes) {
  _mm512_mask_storeu_epi8(to, mask, bytes);
}
[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline void store_masked_bytes_256(void* to, __mmask32 mask,
                                                                            __m256i bytes) {
  _mm256_mask_storeu_epi8(to, mask, bytes);
}
[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline void store_masked_bytes_128(void* to, __mmask16 mask,
                                                                            __m128i bytes) {
  _mm_mask_storeu_epi8(to, mask, bytes);
}
[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline void store_masked_shorts(void* to, __mmask32 mask,
                                                                         __m512i shorts) {
  _mm512_mask_storeu_epi16(to, mask, shorts);
}
[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline void store_masked_ints(void* to, __mmask16 mask,
                                                                       __m512i ints) {
  _mm512_mask_storeu_epi32(to, mask, ints);
}

}  // namespace nnrt::cpu
#endif
