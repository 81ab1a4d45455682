#include "backends/cpu/int8/int8_fixed_point.h"

#include "backends/cpu/simd/simd.h"

#include <algorithm>
#include <cmath>

namespace nnrt::cpu {
namespace {

// The largest distance of a code from the zero point.
double reach(Affine affine) {
  return std::max(std::abs(-128.0 - affine.zero_point), std::abs(127.0 - affine.zero_point));
}

// The high and low parts of two factors, as pairs of 16 bits.
int32_t pair_of(int32_t a, int32_t b) { return int32_t(uint32_t(b) << 16 | (uint32_t(a) & 0xffff)); }
int32_t high_of(int32_t factor) { return factor >> 8; }
int32_t low_of(int32_t factor) { return factor - high_of(factor) * 256; }

bool has_add_blocks() {
#if defined(__x86_64__)
  return has_int8_dot();
#else
  return false;
#endif
}

}  // namespace

FixedSum fixed_sum(Affine a, Affine b, double sign_b, Affine to, int32_t smallest, int32_t largest) {
  // Coarser fractions would leave many results unsure; factors have 23 bits and a sign.
  constexpr int kFewest = 16, kMost = 24;
  constexpr double kLargestSum = 2147483648.0, kLargestFactor = 1 << 22;
  FixedSum sum;
  const double of_a = a.scale / to.scale, of_b = sign_b * b.scale / to.scale;
  const double widest = of_a * reach(a) + std::abs(of_b) * reach(b) + std::abs(to.zero_point) + 2;
  int fraction = kMost;
  while (fraction >= kFewest && (std::ldexp(widest, fraction) >= kLargestSum ||
                                 std::ldexp(std::max(of_a, std::abs(of_b)), fraction) >= kLargestFactor))
    --fraction;
  if (fraction < kFewest || !has_add_blocks()) return sum;
  const auto factor_a = int32_t(std::lround(std::ldexp(of_a, fraction)));
  const auto factor_b = int32_t(std::lround(std::ldexp(of_b, fraction)));
  // Both factors have an error of half a unit. With ties to even, a result is rounded to FLOAT32 first, which
  // moves what is not clamped by less than 2^-15.
  const int32_t error = int32_t((reach(a) + reach(b)) / 2) + 2 + (to.ties_to_even ? 1 << (fraction - 15) : 0);
  sum.is_usable = true;
  sum.high = pair_of(high_of(factor_a), high_of(factor_b));
  sum.low = pair_of(low_of(factor_a), low_of(factor_b));
  const int64_t zero = (int64_t{to.zero_point} << fraction) - int64_t{a.zero_point} * factor_a -
                       int64_t{b.zero_point} * factor_b;
  sum.constant = int32_t(zero + (int64_t{1} << (fraction - 1)) + error);
  sum.fraction = fraction;
  sum.fraction_bits = (1 << fraction) - 1;
  sum.unsure = uint32_t(2 * error);
  sum.clamps = smallest > -128 || largest < 127;
  sum.smallest = int8_t(smallest);
  sum.largest = int8_t(largest);
  return sum;
}

#if defined(__x86_64__)

[[NNRT_TARGET_VNNI]] int64_t add_blocks(const FixedSum& sum, Operand a, Operand b, int64_t blocks,
                                        int8_t* to) {
  const FixedSum local = sum;  // stores of bytes may alias the argument
  for (int64_t i = 0; i < blocks; ++i, to += kSumBlock) {
    const __m512i x = _mm512_loadu_si512(a.data + i * kSumBlock * a.step);
    const __m512i y = _mm512_loadu_si512(b.data + i * kSumBlock * b.step);
    __m512i bytes;
    if (!add_bytes(local, x, y, bytes)) return i;
    _mm512_storeu_si512(to, bytes);
  }
  return blocks;
}

#else

int64_t add_blocks(const FixedSum&, Operand, Operand, int64_t, int8_t*) { return 0; }

#endif

}  // namespace nnrt::cpu
