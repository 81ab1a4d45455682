// Sums of two INT8 tensors in fixed point, 64 elements at a time. Needs has_int8_dot().
#pragma once

#include "backends/cpu/base/element.h"

#include <cstdint>

namespace nnrt::cpu {

// a * of_a + b * of_b + constant is the result with `fraction` fractional bits, plus a half for rounding.
struct FixedSum {
  bool is_usable = false;     // false: results do not fit, or the processor lacks the instructions
  int32_t high = 0, low = 0;  // factors of a and b, as pairs of 16 bits: factor = 256 * high + low
  int32_t constant = 0;
  int32_t fraction = 0;
  uint32_t unsure = 0;  // fractions below this are too close to a tie
  int8_t smallest = -128, largest = 127;
};

// The sum of a and sign_b * b, clamped to [smallest, largest].
FixedSum fixed_sum(Affine a, Affine b, double sign_b, Affine to, int32_t smallest, int32_t largest);

// An operand of one run; a step of 0 repeats its first element, or block of elements.
struct Operand {
  const int8_t* data;
  int64_t step;
};

inline constexpr int64_t kSumBlock = 64;
// Stores blocks of kSumBlock sums, up to the first block with a result that is too close to a tie. Returns
// the number of blocks stored.
int64_t add_blocks(const FixedSum& sum, Operand a, Operand b, int64_t blocks, int8_t* to);

}  // namespace nnrt::cpu
