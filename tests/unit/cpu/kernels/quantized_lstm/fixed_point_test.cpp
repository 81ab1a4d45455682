#include "backends/cpu/kernels/quantized_lstm/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

namespace nnrt::cpu {
namespace {

TEST(FixedPoint, ShiftsRoundHalfAwayFromZero) {
  EXPECT_EQ(rounded_shift(6, 2), 2);
  EXPECT_EQ(rounded_shift(5, 2), 1);
  EXPECT_EQ(rounded_shift(-6, 2), -2);
  EXPECT_EQ(rounded_shift(-5, 2), -1);
  EXPECT_EQ(rounded_shift(-7, 0), -7);
}

TEST(FixedPoint, MultipliesByRealFactors) {
  for (const double factor : {1e-9, 0.001, 0.4999999999, 0.5, 0.9999999999, 1.0, 3.75, 1e3}) {
    const Multiplier multiplier = multiplier_of(factor);
    for (const int32_t x : {0, 1, -1, 77, -12345, 100000, -200000}) {
      const double exact = x * factor;
      EXPECT_NEAR(multiply(x, multiplier), exact, 1 + std::abs(exact) * 1e-9) << x << " * " << factor;
    }
  }
  // Neither sums nor left shifts wrap.
  EXPECT_GT(multiply(int64_t{1} << 40, multiplier_of(1.0)), INT16_MAX);
  EXPECT_LT(multiply(-(int64_t{1} << 40), multiplier_of(4.0)), INT16_MIN);
  EXPECT_EQ(multiply(1000, multiplier_of(0x1p-40)), 0);
}

TEST(FixedPoint, InverseRootsAreNearTheRealOnes) {
  for (int64_t x = 2; x <= INT32_MAX; x = x * 5 / 4 + 1) {
    const Multiplier root = inverse_root(int32_t(x));
    const double got = std::ldexp(double(root.mantissa), root.exponent - 31);
    EXPECT_NEAR(got * std::sqrt(double(x)), 1, 2e-5) << x;
  }
  for (const int32_t x : {0, 1}) EXPECT_EQ(inverse_root(x).mantissa, INT32_MAX);
}

class Function : public testing::TestWithParam<int> {};

TEST_P(Function, OfEachNumberIsNearTheRealOne) {
  const int bits = GetParam();
  for (int x = INT16_MIN; x <= INT16_MAX; ++x) {
    const double real = std::ldexp(x, bits - 15);
    ASSERT_NEAR(sigmoid_q15(int16_t(x), bits), 32768 / (1 + std::exp(-real)), 7) << x;
    ASSERT_NEAR(tanh_q15(int16_t(x), bits), 32768 * std::tanh(real), 13.5) << x;
  }
}

INSTANTIATE_TEST_SUITE_P(IntegerBits, Function, testing::Range(0, 7));

}  // namespace
}  // namespace nnrt::cpu
