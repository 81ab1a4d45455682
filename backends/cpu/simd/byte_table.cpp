#include "backends/cpu/simd/byte_table.h"

#include "backends/cpu/simd/simd.h"
#include "backends/cpu/simd/x86_features.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace nnrt::cpu {
namespace {

#if defined(__x86_64__)

bool has_byte_permutes() { return x86_features().vbmi && vector_bytes() == 64; }

// Returns the number of elements mapped.
[[gnu::target("avx512f,avx512bw,avx512vbmi")]] int64_t map_vectors(const ByteTable& table,
                                                                   const uint8_t* from, uint8_t* to,
                                                                   int64_t count) {
  __m512i part[4];
  for (int i = 0; i < 4; ++i) part[i] = _mm512_loadu_si512(table.data() + i * 64);
  for (int64_t i = 0; i < count; i += 64) {
    const __mmask64 lanes = count - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (count - i)) - 1;
    const __m512i index = _mm512_maskz_loadu_epi8(lanes, from + i);
    // Each permutation uses the low 7 bits; the top bit selects the half.
    const __m512i low = _mm512_permutex2var_epi8(part[0], index, part[1]);
    const __m512i high = _mm512_permutex2var_epi8(part[2], index, part[3]);
    _mm512_mask_storeu_epi8(to + i, lanes, _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high));
  }
  return count;
}

#elif defined(__aarch64__)

bool has_byte_permutes() { return true; }

int64_t map_vectors(const ByteTable& table, const uint8_t* from, uint8_t* to, int64_t count) {
  uint8x16x4_t part[4];
  for (int i = 0; i < 4; ++i) part[i] = vld1q_u8_x4(table.data() + i * 64);
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const uint8x16_t index = vld1q_u8(from + i);
    // An index outside its part keeps the result so far.
    uint8x16_t mapped = vqtbl4q_u8(part[0], index);
    for (int k = 1; k < 4; ++k)
      mapped = vqtbx4q_u8(mapped, part[k], vsubq_u8(index, vdupq_n_u8(uint8_t(64 * k))));
    vst1q_u8(to + i, mapped);
  }
  return i;
}

#else

bool has_byte_permutes() { return false; }
int64_t map_vectors(const ByteTable&, const uint8_t*, uint8_t*, int64_t) { return 0; }

#endif

}  // namespace

void map_bytes(const ByteTable& table, const uint8_t* from, uint8_t* to, int64_t count) {
  const int64_t done = has_byte_permutes() ? map_vectors(table, from, to, count) : 0;
  for (int64_t i = done; i < count; ++i) to[i] = table[from[i]];
}

}  // namespace nnrt::cpu
