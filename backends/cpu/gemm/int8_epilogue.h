// Shared by the has_int8_dot() kernels: row sums, and requantization of 32-bit sums.
#pragma once

#include "backends/cpu/base/element.h"
#include "backends/cpu/gemm/int8_microkernel.h"
#include "backends/cpu/simd/int8_rounding.h"

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
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline __m512i to_quantized(__m512i sums, __m512 scale,
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
};
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline PackedEpilogue packed_epilogue(const Int8Epilogue& terms) {
  return {_mm512_set1_epi16(int16_t(terms.zero_point)), _mm512_set1_epi8(terms.low),
          _mm512_set1_epi8(terms.high)};
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
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline void round_sums(__m512i (&sums)[Vectors],
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
#endif

}  // namespace nnrt::cpu
