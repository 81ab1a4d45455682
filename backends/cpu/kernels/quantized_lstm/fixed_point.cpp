#include "backends/cpu/kernels/quantized_lstm/fixed_point.h"

#include <bit>
#include <cmath>

namespace nnrt::cpu {
namespace {

// Product with a factor that has no integer bits: (a b +- half) / 2^(bits - 1), truncated.
template <typename T>
T product(T a, T b) {
  constexpr int64_t kOne = -int64_t{std::numeric_limits<T>::min()};
  const int64_t exact = int64_t{a} * b;
  return saturated<T>((exact + (exact < 0 ? -kOne / 2 : kOne / 2)) / kOne);
}

int32_t shifted_left(int32_t x, int bits) { return saturated<int32_t>(int64_t{x} << bits); }

// A 32-bit constant reduced to 16 bits.
constexpr int16_t narrowed(int64_t constant) { return int16_t(rounded_shift(constant, 16)); }

// e^x for x in [-1/4, 0): a polynomial around -1/8.
int16_t exp_near_zero(int16_t x) {
  constexpr int16_t kEighth = 4096, kThird = narrowed(715827883), kExpOfEighth = narrowed(1895147668);
  const auto a = int16_t(x + kEighth);
  const int16_t a2 = product(a, a), a3 = product(a2, a), a4 = product(a2, a2);
  const int16_t third = product(saturated<int16_t>(rounded_shift(a4, 2) + a3), kThird);
  const int64_t tail = rounded_shift(third + a2, 1);
  return saturated<int16_t>(kExpOfEighth + product(kExpOfEighth, saturated<int16_t>(a + tail)));
}

// e^x for x <= 0: exp of the remainder modulo 1/4 times exp of the remaining powers of two.
int16_t exp_of_negative(int32_t x, int integer_bits) {
  constexpr int kFirst = -2;
  constexpr int16_t kExpOfPower[] = {narrowed(1672461947), narrowed(1302514674), narrowed(790015084),
                                     narrowed(290630308),  narrowed(39332535),   narrowed(720401),
                                     narrowed(242)};
  if (x == 0) return std::numeric_limits<int16_t>::max();
  const int fraction_bits = 15 - integer_bits;
  const int32_t quarter = 1 << (fraction_bits + kFirst);
  const int32_t remainder = (x & (quarter - 1)) - quarter;
  const int32_t powers = remainder - x;
  int16_t result = exp_near_zero(int16_t(remainder << integer_bits));
  int power = kFirst;
  for (const int16_t factor : kExpOfPower) {
    if (power >= integer_bits) return result;
    if ((powers >> (fraction_bits + power++) & 1) != 0) result = product(result, factor);
  }
  return powers >> (fraction_bits + power) != 0 ? int16_t(0) : result;  // below e^-32
}

// 2 / (1 + y) with two integer bits, for y in [0, 1] without integer bits: three Newton steps.
int16_t reciprocal_of_mean(int16_t y) {
  constexpr int16_t kOne = 8192, kStart = narrowed(1515870810), kSlope = narrowed(-1010580540);
  const auto mean = int16_t((int32_t{y} + 32768) / 2);
  auto x = int16_t(kStart + product(mean, kSlope));
  for (int step = 0; step < 3; ++step) {
    const auto error = int16_t(kOne - product(mean, x));
    x = saturated<int16_t>(x + saturated<int16_t>(int64_t{product(x, error)} * 4));
  }
  return x;
}

}  // namespace

Multiplier multiplier_of(double factor) {
  Multiplier result;
  const double mantissa = std::frexp(factor, &result.exponent);
  auto rounded = int64_t(std::round(mantissa * 0x1p31));
  if (rounded == int64_t{1} << 31) {
    rounded /= 2;
    ++result.exponent;
  }
  result.mantissa = int32_t(rounded);
  return result;
}

int32_t multiply(int64_t x, Multiplier factor) {
  constexpr int kMaxShift = 31;
  constexpr int64_t kHalf = int64_t{1} << 30;
  const int left = std::clamp(factor.exponent, 0, kMaxShift);
  const int right = std::clamp(-factor.exponent, 0, kMaxShift);
  const int64_t exact = int64_t{shifted_left(saturated<int32_t>(x), left)} * factor.mantissa;
  return int32_t(rounded_shift((exact + (exact < 0 ? 1 - kHalf : kHalf)) / (2 * kHalf), right));
}

Multiplier inverse_root(int32_t x) {
  constexpr int32_t kOneAndOneHalf = 402653184, kRootOfHalf = 1518500250;
  if (x <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int shift = 11;
  for (; x >= 1 << 29; x /= 4) ++shift;
  const int pairs = (std::countl_zero(uint32_t(x)) - 1) / 2 - 1;
  x <<= 2 * pairs;
  shift -= pairs;
  const auto half = int32_t(rounded_shift(x >> 1, 1));
  int32_t root = 1 << 28;
  for (int step = 0; step < 5; ++step) {
    const int32_t cube = shifted_left(product(product(root, root), root), 6);
    root = shifted_left(saturated<int32_t>(int64_t{product(kOneAndOneHalf, root)} - product(half, cube)), 3);
  }
  root = product(root, kRootOfHalf);
  if (shift < 0) {
    root = shifted_left(root, -shift);
    shift = 0;
  }
  return {root, -shift};
}

int16_t sigmoid_q15(int16_t x, int integer_bits) {
  if (x == 0) return 1 << 14;
  const int16_t y = exp_of_negative(-std::abs(int32_t{x}), integer_bits);
  const auto positive = saturated<int16_t>(int64_t{reciprocal_of_mean(y)} * 2);
  return x < 0 ? int16_t(std::numeric_limits<int16_t>::max() - positive) : positive;
}

int16_t tanh_q15(int16_t x, int integer_bits) {
  if (x == 0) return 0;
  const int16_t y = exp_of_negative(-std::abs(int32_t{x}), integer_bits + 1);  // exp(-2 |x|)
  const auto positive = saturated<int16_t>((int64_t{reciprocal_of_mean(y)} - 8192) * 4);
  return x < 0 ? int16_t(-positive) : positive;
}

}  // namespace nnrt::cpu
