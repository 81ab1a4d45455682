// 16-bit floats widened in registers: IEEE halves and bfloat16. Exact.
#pragma once

#include "backends/cpu/simd/vector_math.h"
#include "core/base/fp16.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace nnrt::cpu {

template <int Bytes>
struct ShortsOf {
  typedef uint16_t type __attribute__((vector_size(Bytes / 2)));
};
template <int Bytes>
using Shorts = typename ShortsOf<Bytes>::type;  // as many as floats in a vector

template <int Bytes>
NNRT_INLINE Ints<Bytes> zero_extended(const uint16_t* from) {
  Shorts<Bytes> shorts;
  std::memcpy(&shorts, from, Bytes / 2);
  return __builtin_convertvector(shorts, Ints<Bytes>);
}

#if defined(__x86_64__)
template <int Bytes>
struct HalvesOf {
#if defined(__clang__)
  typedef __fp16 type __attribute__((vector_size(Bytes / 2)));
#else
  typedef short type __attribute__((vector_size(Bytes / 2)));
#endif
};
template <int Bytes>
using Halves = typename HalvesOf<Bytes>::type;
#endif

// Without an instruction for it, as to_float() in core/base/fp16.h.
template <int Bytes>
NNRT_INLINE Vector<Bytes> widened_by_arithmetic(Ints<Bytes> halves) {
  const Ints<Bytes> magnitude = (halves & 0x7fff) << 13;
  Ints<Bytes> bits = __builtin_bit_cast(Ints<Bytes>, __builtin_bit_cast(Vector<Bytes>, magnitude) * 0x1p112f);
  bits |= (magnitude >= 0x0f800000) & 0x7f800000;  // infinity and NaN
  return __builtin_bit_cast(Vector<Bytes>, bits | (halves & 0x8000) << 16);
}

template <int Bytes>
NNRT_INLINE Vector<Bytes> load_halves(const uint16_t* from) {
#if !defined(__x86_64__) && !defined(__aarch64__)
  return widened_by_arithmetic<Bytes>(zero_extended<Bytes>(from));
#elif defined(__aarch64__)
  return __builtin_bit_cast(Vector<Bytes>, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from))));
#else
  if constexpr (Bytes == 16) {
    return widened_by_arithmetic<Bytes>(zero_extended<Bytes>(from));
  } else {
    Halves<Bytes> halves;
    std::memcpy(&halves, from, Bytes / 2);
#if defined(__clang__)
    return __builtin_convertvector(halves, Vector<Bytes>);
#else
    // GCC would convert them one by one. Intrinsics cannot be inlined into code that is compiled for several
    // instruction sets.
    if constexpr (Bytes == 64) {
      return __builtin_ia32_vcvtph2ps512_mask(halves, Vector<64>{}, -1, 4);
    } else {
      return __builtin_ia32_vcvtph2ps256(halves);
    }
#endif
  }
#endif
}

// Rounds to nearest even, as to_half() in core/base/fp16.h. The payload of a NaN may differ.
template <int Bytes>
NNRT_INLINE void store_halves(uint16_t* to, Vector<Bytes> values) {
#if defined(__x86_64__)
  if constexpr (Bytes > 16) {
#if defined(__clang__)
    const Halves<Bytes> halves = __builtin_convertvector(values, Halves<Bytes>);
    std::memcpy(to, &halves, Bytes / 2);
#else
    constexpr int kNearest = 0;
    if constexpr (Bytes == 64) {
      const auto halves = __builtin_ia32_vcvtps2ph512_mask(values, kNearest, Halves<Bytes>{}, -1);
      std::memcpy(to, &halves, sizeof halves);
    } else {
      const auto halves = __builtin_ia32_vcvtps2ph256(values, kNearest);
      std::memcpy(to, &halves, sizeof halves);
    }
#endif
    return;
  }
#endif
  for (int i = 0; i < Bytes / int(sizeof(float)); ++i) to[i] = to_half(values[i]).bits;
}

template <int Bytes>
NNRT_INLINE Vector<Bytes> load_bfloats(const uint16_t* from) {
  return __builtin_bit_cast(Vector<Bytes>, zero_extended<Bytes>(from) << 16);
}

}  // namespace nnrt::cpu
