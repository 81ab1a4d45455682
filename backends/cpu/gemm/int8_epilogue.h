// Shared by the has_int8_dot() kernels: dot products, row sums, requantization of 32-bit sums, and stores.
#pragma once

#include "backends/cpu/base/element.h"
#include "backends/cpu/gemm/int8_microkernel.h"
#include "backends/cpu/int8/scaled_sums.h"
#include "backends/cpu/simd/int8_rounding.h"
#include "backends/cpu/simd/masked_access.h"

#include <algorithm>

namespace nnrt::cpu {

// Distance to the nearest integer within which float rounding is certain. For results below 512, rounding of
// the scale and three operations err by less than 1e-4.
inline constexpr float kSureDistance = 0.5f - 1e-4f;

// The channel whose terms are at this index.
inline int64_t channel_at(const Int8Epilogue& terms, int64_t place) {
  if (!terms.interleaved) return place;
  const int64_t vector = place / kInt32Lanes % 4, lane = place % kInt32Lanes;
  return place / kDepthwiseChannels * kDepthwiseChannels + lane / 4 * 16 + vector * 4 + lane % 4;
}

// The result of a sum whose float value is too close to a tie.
inline int32_t quantize_exactly(int32_t sum, const Int8Epilogue& terms, int64_t place) {
  // Depthwise terms may repeat the channels.
  const int64_t channel = terms.exact_scales == 1 ? 0 : channel_at(terms, place) % terms.exact_scales;
  const double exact = sum * (terms.exact_factor * terms.exact_scale[channel]);
  constexpr double kFar = 1024;  // beyond all quantized values for any zero point
  const double value =
      std::clamp(terms.ties_to_even ? double(float(sum) * terms.scale[place]) : exact, -kFar, kFar);
  const int32_t code = nearest(value, terms.ties_to_even) + terms.zero_point;
  return std::clamp(code, int32_t(terms.low), int32_t(terms.high));
}

// Implements sum_int8_rows() with `sum`, which adds a number of contiguous values.
inline void sum_rows(const Int8Rows& rows, int32_t* sums, int32_t (*sum)(const int8_t*, int64_t)) {
  for (int r = 0; r < rows.count; ++r) sums[r] = 0;
  for (int64_t tap = 0; tap < rows.taps; ++tap)
    for (int r = 0; r < rows.count; ++r) sums[r] += sum(rows.parts[tap * rows.tap_rows + r], rows.tap_values);
}

// Calls multiply(block, row_sums, to) for each block.
template <typename To, typename Multiply>
void for_blocks(Int8Rows rows, const int32_t* row_sums, To* to, int64_t stride, const Multiply& multiply) {
  for (int64_t block = 0; block < rows.blocks; ++block) {
    multiply(rows, row_sums, to);
    rows.parts += rows.taps * rows.tap_rows;
    row_sums += rows.count;
    to += rows.count * stride;
  }
}

#if defined(__x86_64__)
// sums += unsigned bytes * signed bytes. GCC 12 copies sums between registers around the intrinsic.
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline void add_dots(__m512i& sums, __m512i bytes,
                                                              __m512i signed_bytes) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(bytes), "v"(signed_bytes));
}

// The sum of the lanes of each of eight vectors.
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline __m256i sum_lanes(const __m512i (&rows)[8]) {
  __m512i four[4], two[2];
  for (int i = 0; i < 4; ++i)
    four[i] = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]),
                               _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]));
  for (int i = 0; i < 2; ++i)
    two[i] = _mm512_add_epi32(_mm512_unpacklo_epi64(four[2 * i], four[2 * i + 1]),
                              _mm512_unpackhi_epi64(four[2 * i], four[2 * i + 1]));
  // two[0] has four parts of the sums of rows 0 to 3, and two[1] of rows 4 to 7.
  const __m512i sums = _mm512_add_epi32(_mm512_shuffle_i32x4(two[0], two[1], 0x44),
                                        _mm512_shuffle_i32x4(two[0], two[1], 0xee));
  const __m512i both = _mm512_add_epi32(sums, _mm512_shuffle_i32x4(sums, sums, 0xb1));
  return _mm512_castsi512_si256(_mm512_shuffle_i32x4(both, both, 0x08));
}

// Recomputes the lanes in `mask` exactly: their float values were too close to a tie.
[[NNRT_TARGET_VNNI]] __m512i round_exactly(__m512i sums, __m512i quantized, uint32_t mask,
                                           const Int8Epilogue& terms, int64_t channel);

// Channel-independent terms, in registers.
struct Int8EpilogueRegisters {
  __m512 low, high;  // without the zero point
  __m512i zero_point;
};
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline Int8EpilogueRegisters epilogue_registers(
    const Int8Epilogue& terms) {
  return {_mm512_set1_ps(float(terms.low - terms.zero_point)),
          _mm512_set1_ps(float(terms.high - terms.zero_point)), _mm512_set1_epi32(terms.zero_point)};
}

// Requantizes sums that include their offsets (bias and zero points), to 32 bits each. `columns` marks the
// valid lanes.
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline __m512i to_quantized(__m512i sums, __m512 scale,
                                                                   __mmask16 columns,
                                                                   const Int8EpilogueRegisters& epilogue,
                                                                   const Int8Epilogue& terms,
                                                                   int64_t channel) {
  const __m512 kSure = _mm512_set1_ps(kSureDistance);
  const __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale);
  __mmask16 unsure = 0;
  __m512i quantized = _mm512_add_epi32(round_to_quantized(value, epilogue.low, epilogue.high, kSure, unsure),
                                       epilogue.zero_point);
  unsure &= columns;
  if (__builtin_expect(unsure != 0, 0)) quantized = round_exactly(sums, quantized, unsure, terms, channel);
  return quantized;
}

// Requantizes up to four vectors at once: without clamping in float, because packing to bytes saturates.
struct PackedEpilogue {
  __m512i zero_point;  // 16 bits each
  __m512i low, high;   // 8 bits each
  bool clamps;         // low and high are not those of the type
};
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline PackedEpilogue packed_epilogue(const Int8Epilogue& terms) {
  return {_mm512_set1_epi16(int16_t(terms.zero_point)), _mm512_set1_epi8(terms.low),
          _mm512_set1_epi8(terms.high), terms.low > -128 || terms.high < 127};
}

// Results far outside the quantized range keep their sign.
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline __m512 scaled(__m512i sums, __m512 scale) {
  return _mm512_min_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale), _mm512_set1_ps(1 << 30));
}

// Lanes that float precision cannot decide.
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline __mmask16 near_ties(__m512 value) {
  return _mm512_cmp_ps_mask(_mm512_abs_ps(_mm512_reduce_ps(value, 0)), _mm512_set1_ps(kSureDistance),
                            _CMP_GT_OQ);
}

// Scales and rounds sums that include their offsets; the output's zero point is not added yet. With ties to
// even, the FLOAT32 product is the definition, so only ties away from zero are checked exactly.
template <int Vectors>
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline void round_sums(__m512i (&sums)[Vectors],
                                                              const __m512 (&scale)[Vectors],
                                                              const Int8Epilogue& terms, int64_t place) {
  __m512i rounded[Vectors];
  __mmask16 unsure = 0;
  for (int v = 0; v < Vectors; ++v) rounded[v] = _mm512_cvtps_epi32(scaled(sums[v], scale[v]));
  if (!terms.ties_to_even) {
    for (int v = 0; v < Vectors; ++v) unsure |= near_ties(scaled(sums[v], scale[v]));
    if (__builtin_expect(unsure != 0, 0)) {
      const __m512i zero_point = _mm512_set1_epi32(terms.zero_point);
      for (int v = 0; v < Vectors; ++v) {
        const __mmask16 lanes = near_ties(scaled(sums[v], scale[v]));
        if (lanes == 0) continue;
        const __m512i exact = round_exactly(sums[v], rounded[v], lanes, terms, place + v * kInt32Lanes);
        rounded[v] = _mm512_mask_sub_epi32(rounded[v], lanes, exact, zero_point);
      }
    }
  }
  for (int v = 0; v < Vectors; ++v) sums[v] = rounded[v];
}

[[NNRT_TARGET_VNNI, gnu::noinline]] inline __m512i add_exactly(const Int8Residual& residual, __m512i results,
                                                               __m512i other) {
  alignas(64) int8_t a[kSumBlock], b[kSumBlock];
  _mm512_store_si512(a, results);
  _mm512_store_si512(b, other);
  compute_exactly(residual.sum.exact, a, b, a);
  return _mm512_load_si512(a);
}
// Adds the residual of two rows to their results; `both`: the second row exists.
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline __m512i add_residual(const Int8Residual& residual,
                                                                   __m512i results, int columns,
                                                                   const int8_t* to, int64_t stride,
                                                                   bool both) {
  const int8_t* const from = residual.other + (to - residual.to);
  const int8_t* const second = both ? from + stride : from;
  __m256i rows[2];
  if (columns >= kInt8PanelColumns) {
    rows[0] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    rows[1] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second));
  } else {
    const __mmask32 mask = (__mmask32{1} << columns) - 1;
    rows[0] = load_masked_bytes_256(mask, from);
    rows[1] = load_masked_bytes_256(mask, second);
  }
  const __m512i other = _mm512_inserti64x4(_mm512_castsi256_si512(rows[0]), rows[1], 1);
  __m512i sums;
  if (__builtin_expect(add_bytes(residual.sum.fixed, results, other, sums), 1)) return sums;
  return add_exactly(residual, results, other);
}

// Stores two rows of rounded sums as bytes; the second one only if `both`.
template <bool Adds, int Vectors>
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline void store_bytes(const __m512i (&first)[Vectors],
                                                               const __m512i (&second)[Vectors],
                                                               const PackedEpilogue& epilogue,
                                                               const Int8Epilogue& terms, int columns,
                                                               int8_t* to, int64_t stride, bool both) {
  const __m512i first_words =
      _mm512_adds_epi16(_mm512_packs_epi32(first[0], first[Vectors - 1]), epilogue.zero_point);
  const __m512i second_words =
      _mm512_adds_epi16(_mm512_packs_epi32(second[0], second[Vectors - 1]), epilogue.zero_point);
  __m512i bytes = _mm512_packs_epi16(first_words, second_words);
  if (epilogue.clamps) bytes = _mm512_min_epi8(_mm512_max_epi8(bytes, epilogue.low), epilogue.high);
  // Packing works in 128-bit lanes; this restores the order of four-byte groups.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  bytes = _mm512_permutexvar_epi32(order, bytes);
  if constexpr (Adds) bytes = add_residual(*terms.residual, bytes, columns, to, stride, both);
  const __m256i halves[2] = {_mm512_castsi512_si256(bytes), _mm512_extracti64x4_epi64(bytes, 1)};
  if (columns >= kInt8PanelColumns) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves[0]);
    if (both) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + stride), halves[1]);
    return;
  }
  const __mmask32 mask = (__mmask32{1} << columns) - 1;
  store_masked_bytes_256(to, mask, halves[0]);
  if (both) store_masked_bytes_256(to + stride, mask, halves[1]);
}

// How sums become results.
enum class Finish : uint8_t {
  raw,    // not at all
  plain,  // scales are at most kMaxPlainScale, so products fit in 32 bits, and ties are rounded to even
  any,
};
inline constexpr float kMaxPlainScale = 0.5f;

[[NNRT_TARGET_VNNI]] inline Finish finish_of(const Int8Epilogue& terms, int64_t channel, int columns) {
  if (!terms.ties_to_even) return Finish::any;
  const __m512 most = _mm512_set1_ps(kMaxPlainScale);
  for (int first = 0; first < columns; first += kInt32Lanes) {
    const __m512 scale = load_masked_floats(first_lanes(columns - first), terms.scale + channel + first);
    if (_mm512_cmp_ps_mask(scale, most, _CMP_NLE_UQ) != 0) return Finish::any;
  }
  return Finish::plain;
}

// Stores sums as they are, or with terms.scaling as floats. Unrolled so that sums stay in registers.
template <int Rows, int Vectors>
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline void store_raw(const __m512i (&sums)[Rows][Vectors],
                                                               const Int8Epilogue& terms, int64_t channel,
                                                               int columns, int32_t* to, int64_t stride) {
#pragma GCC unroll 2
  for (int v = 0; v < Vectors; ++v) {
    const int first = v * kInt32Lanes;
    const __mmask16 mask = first_lanes(columns - first);
    if (terms.scaling == nullptr) {
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) store_masked_ints(to + r * stride + first, mask, sums[r][v]);
      continue;
    }
    ColumnTerms<64> of_columns;
    terms_at(*terms.scaling, channel + first, columns - first, of_columns);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      Vector<64> scaled;
      scale(of_columns, Elements<64, uint32_t>(sums[r][v]), scaled);
      asm("" : "+v"(scaled));  // rounded, although this file's additions are fused
      scaled += of_columns.addend;
      store_masked_ints(to + r * stride + first, mask, __m512i(scaled));
    }
  }
}

template <Finish How, bool Adds, int Rows, int Vectors>
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline void store_rows(__m512i (&sums)[Rows][Vectors],
                                                                const __m512 (&)[Vectors],
                                                                const Int8Epilogue& terms, int64_t channel,
                                                                int columns, int32_t* to, int64_t stride) {
  static_assert(How == Finish::raw && !Adds);
  store_raw(sums, terms, channel, columns, to, stride);
}

// Scales, rounds and stores sums; `Adds`: with the residual.
template <Finish How, bool Adds, int Rows, int Vectors>
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline void store_rows(__m512i (&sums)[Rows][Vectors],
                                                                const __m512 (&scale)[Vectors],
                                                                const Int8Epilogue& terms, int64_t channel,
                                                                int columns, int8_t* to, int64_t stride) {
  const PackedEpilogue epilogue = packed_epilogue(terms);
#pragma GCC unroll 8
  for (int r = 0; r < Rows; r += 2) {
    const int second = r + 1 < Rows ? r + 1 : r;
    for (int row = r; row <= second; ++row) {
      if constexpr (How == Finish::any) {
        round_sums<Vectors>(sums[row], scale, terms, channel);
      } else {
        for (int v = 0; v < Vectors; ++v)
          sums[row][v] = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sums[row][v]), scale[v]));
      }
    }
    store_bytes<Adds, Vectors>(sums[r], sums[second], epilogue, terms, columns, to + r * stride, stride,
                               second != r);
  }
}
#endif

}  // namespace nnrt::cpu
