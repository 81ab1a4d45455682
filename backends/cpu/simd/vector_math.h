// Vectorized float functions for loops in with_vectors(). Errors are a few ULP (erf: 4e-7); infinities and
// NaN behave as in <cmath>.
#pragma once

#include "backends/cpu/simd/simd.h"

#include <cstddef>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace nnrt::cpu {

#define NNRT_INLINE [[gnu::always_inline]] inline

template <int Bytes, typename T>
struct ElementVector {
  typedef T type __attribute__((vector_size(Bytes)));
};
template <int Bytes, typename T>
using Elements = typename ElementVector<Bytes, T>::type;
template <int Bytes>
using Ints = Elements<Bytes, int32_t>;

template <typename V>
NNRT_INLINE void clamp_to(V& x, float low, float high) {
  const V lowest = low - V{}, highest = high - V{};
  x = lowest > x ? lowest : x;  // NaN stays; MAXPS
  x = highest < x ? highest : x;
}

// a * b + c, rounded once on targets with FMA. -ffp-contract=fast does not ensure that: g++ 14 leaves the
// only sum of a loop unfused, and clang products that a sanitizer's check separates from the addition.
template <int Bytes>
NNRT_INLINE Vector<Bytes> multiply_add(const Vector<Bytes>& a, const Vector<Bytes>& b,
                                       const Vector<Bytes>& c) {
#if defined(__clang__)
#pragma clang fp contract(on)
#elif defined(__aarch64__)
  if constexpr (Bytes == 16) return vfmaq_f32(c, a, b);
#elif defined(__x86_64__)
  // The intrinsics are for one target and would not inline into this function, which has none.
  if constexpr (Bytes == 64) return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);
  if constexpr (Bytes == 32) return __builtin_ia32_vfmaddps256(a, b, c);
#endif
  return a * b + c;
}
template <int Bytes>
NNRT_INLINE Vector<Bytes> multiply_add(float a, const Vector<Bytes>& b, const Vector<Bytes>& c) {
  return multiply_add<Bytes>(a - Vector<Bytes>{}, b, c);  // a + 0 would not be -0
}

// exp(x) = 2^n * y for x within the float exponent range. The lower bits of `n_bits` are n.
template <int Bytes>
struct ExpParts {
  Vector<Bytes> y;
  Ints<Bytes> n_bits;
};
inline constexpr float kLog2E = 1.44269504f;
inline constexpr float kLog2High = 0.693359375f, kLog2Low = -2.12194440e-4f;  // their sum is log 2

// exp(x) for |x| <= log(2) / 2; within 1e-7.
template <int Bytes>
NNRT_INLINE void small_exp_of(Vector<Bytes>& x) {
  x = ((((8.29027359e-3f * x + 4.18981632e-2f) * x + 1.66676381e-1f) * x + 4.99991478e-1f) * x +
       9.99999706e-1f) *
          x +
      1.0f;
}

template <int Bytes>
NNRT_INLINE void split_exp(const Vector<Bytes>& x, ExpParts<Bytes>& parts) {
  using V = Vector<Bytes>;
  // x = n log 2 + rest; adding a large number rounds n.
  constexpr float kRounder = 12582912.0f;
  const V raised = x * kLog2E + kRounder;
  const V n = raised - kRounder;
  parts.y = (x - n * kLog2High) - n * kLog2Low;
  small_exp_of<Bytes>(parts.y);
  parts.n_bits = __builtin_bit_cast(Ints<Bytes>, raised);
}

// x * 2^n for n in [-126, 127].
template <int Bytes>
NNRT_INLINE void scale_by_power(Vector<Bytes>& x, const Ints<Bytes>& n_bits) {
  x *= __builtin_bit_cast(Vector<Bytes>, (n_bits + 127) << 23);
}

#if defined(__x86_64__)
// exp(x) for any x. VSCALEF handles overflow, subnormals and NaN.
[[gnu::target("avx512f")]] inline void exp_by_scaling(Vector<64>& x) {
  constexpr float kFar = 1000;        // exp() of it is infinite, of -kFar zero
  constexpr __mmask16 kAll = 0xffff;  // GCC 12 warns about the intrinsics without a mask
  const __m512 high = _mm512_set1_ps(kFar), low = _mm512_set1_ps(-kFar);
  __m512 v = __builtin_bit_cast(__m512, x);
  v = _mm512_maskz_min_ps(kAll, high, _mm512_maskz_max_ps(kAll, low, v));
  const __m512 n =
      _mm512_maskz_roundscale_ps(kAll, _mm512_mul_ps(v, _mm512_set1_ps(kLog2E)), _MM_FROUND_NO_EXC);
  v = _mm512_fnmadd_ps(n, _mm512_set1_ps(kLog2High), v);
  v = _mm512_fnmadd_ps(n, _mm512_set1_ps(kLog2Low), v);
  x = __builtin_bit_cast(Vector<64>, v);
  small_exp_of<64>(x);
  x = __builtin_bit_cast(Vector<64>, _mm512_maskz_scalef_ps(kAll, __builtin_bit_cast(__m512, x), n));
}
#endif

template <int Bytes>
NNRT_INLINE void exp_of(Vector<Bytes>& x) {
#if defined(__x86_64__)
  if constexpr (Bytes == 64) return exp_by_scaling(x);
#endif
  using V = Vector<Bytes>;
  using I = Ints<Bytes>;
  constexpr float kLargest = 88.7228f,
                  kSmallest = -103.9721f;  // outside this range: infinity, 0
  const V from = x;
  clamp_to(x, kSmallest, kLargest);
  ExpParts<Bytes> parts;
  split_exp<Bytes>(x, parts);
  // 2^n as two factors, since n may exceed the exponent range of one.
  const I n = parts.n_bits - 0x4b400000, half = n >> 1;
  V y = parts.y;
  scale_by_power<Bytes>(y, half);
  scale_by_power<Bytes>(y, n - half);
  y = from > kLargest ? V{} + __builtin_inff() : y;
  y = from < kSmallest ? V{} : y;
  x = from != from ? from : y;
}

// 1 + exp(x); accuracy doesn't matter near zero (subnormals) and infinity.
template <int Bytes>
NNRT_INLINE void one_plus_exp_of(Vector<Bytes>& x) {
#if defined(__x86_64__)
  if constexpr (Bytes == 64) {
    exp_by_scaling(x);
    x += 1.0f;
    return;
  }
#endif
  using V = Vector<Bytes>;
  constexpr float kLargest = 88.0f;
  const V from = x;
  clamp_to(x, -kLargest + 1, kLargest);
  ExpParts<Bytes> parts;
  split_exp<Bytes>(x, parts);
  scale_by_power<Bytes>(parts.y, parts.n_bits);
  x = 1.0f + parts.y;
  x = from > kLargest ? V{} + __builtin_inff() : x;
}

template <int Bytes>
NNRT_INLINE void sigmoid_of(Vector<Bytes>& x) {
  x = -x;
  one_plus_exp_of<Bytes>(x);
  x = 1.0f / x;
}

template <int Bytes>
NNRT_INLINE void tanh_of(Vector<Bytes>& x) {
  using V = Vector<Bytes>;
  const V size = x < 0 ? -x : x;
  const V z = x * x;
  const V small =
      ((((-5.70498872745e-3f * z + 2.06390887954e-2f) * z - 5.37397155531e-2f) * z + 1.33314422036e-1f) * z -
       3.33332819422e-1f) *
          z * x +
      x;
  V large = size + size;
  one_plus_exp_of<Bytes>(large);
  large = 1.0f - 2.0f / large;
  large = x < 0 ? -large : large;
  x = size < 0.625f ? small : large;
}

template <int Bytes>
NNRT_INLINE void erf_of(Vector<Bytes>& x) {
  using V = Vector<Bytes>;
  clamp_to(x, -4.0f, 4.0f);
  const V z = x * x;
  const V above = ((((((-2.72614225801306e-10f * z + 2.77068142495902e-08f) * z - 2.10102402082508e-06f) * z -
                      5.69250639462346e-05f) *
                         z -
                     7.34990630326855e-04f) *
                        z -
                    2.95459980854025e-03f) *
                       z -
                   1.60960333262415e-02f) *
                  x;
  const V below = (((-1.45660718464996e-05f * z - 2.13374055278905e-04f) * z - 1.68282697438203e-03f) * z -
                   7.37332916720468e-03f) *
                      z -
                  1.42647390514189e-02f;
  x = above / below;
}

// A vector of any element type, in halves.
template <typename V>
struct LaneHalves {
  using Element = std::remove_cvref_t<decltype(V{}[0])>;
  Elements<sizeof(V) / 2, Element> low, high;
};

// All lanes, joined pairwise by join(V& into, const V& other).
template <typename V, typename Join>
NNRT_INLINE typename LaneHalves<V>::Element joined_lanes(const V& x, const Join& join) {
  if constexpr (sizeof(V) > 16) {
    auto halves = __builtin_bit_cast(LaneHalves<V>, x);
    join(halves.low, halves.high);
    return joined_lanes(halves.low, join);
  } else {
    constexpr size_t kLanes = sizeof(V) / sizeof(x[0]);
    typename LaneHalves<V>::Element lanes[kLanes];
    for (size_t i = 0; i < kLanes; ++i) lanes[i] = x[i];
    for (size_t count = kLanes / 2; count > 0; count /= 2)
      for (size_t i = 0; i < count; ++i) join(lanes[i], lanes[i + count]);
    return lanes[0];
  }
}

template <typename V>
NNRT_INLINE auto sum_of_lanes(const V& x) {
  return joined_lanes(
      x, [](auto& a, const auto& b) __attribute__((always_inline)) { a += b; });
}

// The sum in double precision.
template <int Bytes>
NNRT_INLINE double exact_sum_of_lanes(const Vector<Bytes>& x) {
  using Doubles = Elements<Bytes, double>;
  const auto halves = __builtin_bit_cast(LaneHalves<Vector<Bytes>>, x);
  return sum_of_lanes(__builtin_convertvector(halves.low, Doubles) +
                      __builtin_convertvector(halves.high, Doubles));
}

// Stores f(vector) for all of from[0, count) to `to`, which may alias `from`.
template <int Bytes, typename F>
NNRT_INLINE void map_vectors(const float* from, float* to, int64_t count, const F& f) {
  using V = Vector<Bytes>;
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  if (count < kLanes) {
    V rest{};
    for (int64_t i = 0; i < count; ++i) rest[i] = from[i];
    f(rest);
    for (int64_t i = 0; i < count; ++i) to[i] = rest[i];
    return;
  }
  V last = load<Bytes>(from + count - kLanes);  // overlaps the vector before, which may replace it
  for (int64_t i = 0; i + kLanes < count; i += kLanes) {
    V x = load<Bytes>(from + i);
    f(x);
    store<Bytes>(to + i, x);
  }
  f(last);
  store<Bytes>(to + count - kLanes, last);
}

}  // namespace nnrt::cpu
