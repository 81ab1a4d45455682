// Products with 16-bit weights, and their conversions. A block of sums stays in registers.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"

#include <cstdint>

namespace nnrt::cpu {

// Bits of half_forms_of(): what all values are.
inline constexpr uint32_t kExactHalf = 1, kExactBfloat = 2;
inline constexpr uint32_t kRoundedHalf = 4;  // finite as halves, after rounding
inline constexpr uint32_t kAllHalfForms = kExactHalf | kExactBfloat | kRoundedHalf;
uint32_t half_forms_of(int vector_bytes, const float* values, int64_t count);

// Rounds to nearest even; to halves, or for bfloat16 by truncation, which is exact for kExactBfloat.
void narrow_to_half(int vector_bytes, bool bfloat, const float* from, int64_t count, uint16_t* to);
// Widens whole vectors only: `count` must be a multiple of the lanes.
void widen_half(int vector_bytes, bool bfloat, const uint16_t* from, int64_t count, float* to);

// Up to f32_block().rows rows of `inner` floats.
struct HalfRows {
  const float* data;
  int64_t step, count, inner;
};
// Consecutive panels of `vectors` vectors of columns each.
struct HalfPanels {
  const uint16_t* data;
  int64_t count;
  int vectors;
  bool bfloat;
};
// sums[r * sum_stride + c] = the sum that multiply_f32() finds for widened panels, bit for bit.
void half_products(int vector_bytes, const HalfRows& rows, const HalfPanels& panels, float* sums,
                   int64_t sum_stride);

}  // namespace nnrt::cpu
