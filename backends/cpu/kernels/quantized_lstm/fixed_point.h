// 16- and 32-bit fixed-point arithmetic: real = raw * 2^-(fraction bits). A 16-bit number with i integer bits
// has 15 - i fraction bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace nnrt::cpu {

template <typename T>
T saturated(int64_t x) {
  return T(std::clamp<int64_t>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// x / 2^bits, rounding half away from zero.
constexpr int64_t rounded_shift(int64_t x, int bits) {
  if (bits == 0) return x;
  const int64_t half = int64_t{1} << (bits - 1), magnitude = (x < 0 ? -x : x) + half;
  return x < 0 ? -(magnitude >> bits) : magnitude >> bits;
}

// A positive integer factor: mantissa * 2^(exponent - 31), with a 31-bit mantissa.
struct Multiplier {
  int32_t mantissa = 0;
  int exponent = 0;
};
Multiplier multiplier_of(double factor);
int32_t multiply(int64_t x, Multiplier factor);

// 1 / sqrt(x) for x >= 0; 0 is treated as 1.
Multiplier inverse_root(int32_t x);

// The argument has 0 to 6 integer bits, the result none.
int16_t sigmoid_q15(int16_t x, int integer_bits);
int16_t tanh_q15(int16_t x, int integer_bits);

}  // namespace nnrt::cpu
