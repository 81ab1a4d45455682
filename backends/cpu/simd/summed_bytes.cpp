#include "backends/cpu/simd/summed_bytes.h"

#include "backends/cpu/simd/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nnrt::cpu {
namespace {

int32_t sum_plainly(const int8_t* from, int64_t count) {
  int32_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += from[i];
  return sum;
}

#if defined(__x86_64__)

// Eight unsigned bytes are added at once: values with an offset of 128.
constexpr int32_t kOffset = 128;

[[gnu::target("avx512f,avx512bw")]] int32_t sum_by_64(const int8_t* from, int64_t count) {
  const __m512i flip = _mm512_set1_epi8(-128), zero = _mm512_setzero_si512();
  __m512i sums = zero;
  int64_t i = 0;
  for (; i + 64 <= count; i += 64)
    sums =
        _mm512_add_epi64(sums, _mm512_sad_epu8(_mm512_xor_si512(_mm512_loadu_si512(from + i), flip), zero));
  if (i < count) {
    const __mmask64 rest = (__mmask64{1} << (count - i)) - 1;
    const __m512i bytes = _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, from + i), flip);
    sums = _mm512_add_epi64(sums, _mm512_sad_epu8(_mm512_maskz_mov_epi8(rest, bytes), zero));
  }
  return int32_t(_mm512_reduce_add_epi64(sums) - kOffset * count);
}

[[gnu::target("avx2")]] int32_t sum_by_32(const int8_t* from, int64_t count) {
  const __m256i flip = _mm256_set1_epi8(-128), zero = _mm256_setzero_si256();
  __m256i sums = zero;
  int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    sums = _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_xor_si256(bytes, flip), zero));
  }
  alignas(32) int64_t parts[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sums);
  return int32_t(parts[0] + parts[1] + parts[2] + parts[3] - kOffset * i) + sum_plainly(from + i, count - i);
}

#endif

}  // namespace

int32_t sum_bytes(const int8_t* from, int64_t count) {
#if defined(__x86_64__)
  if (vector_bytes() == 64) return sum_by_64(from, count);
  if (vector_bytes() == 32) return sum_by_32(from, count);
#endif
  return sum_plainly(from, count);
}

}  // namespace nnrt::cpu
