#include "backends/vulkan/lower/elementwise/requantization.h"

#include "tests/support/lowered_node.h"
#include "tests/support/random/random.h"

#include <bit>
#include <cmath>

namespace nnrt::vulkan {
namespace {

// The kernel's arithmetic (shaders/include/elementwise/requantized_steps.glsl).
float requantized(int32_t sum, std::array<uint32_t, 2> bits) {
  constexpr float kClose = 6.1035156e-5f;
  const auto size = uint32_t(std::abs(sum));
  const float product = float(size) * std::bit_cast<float>(bits[0]), whole = std::floor(product);
  const float behind = product - whole - 0.5f;
  const uint32_t exact = size * ((bits[1] - (1u << 23)) << 2);
  const bool is_above = std::abs(behind) < kClose ? int32_t(exact) >= 0 : behind > 0;
  return std::copysign(whole + (is_above ? 1.0f : 0.0f), float(sum));
}

double nearest(int32_t sum, double factor) { return std::round(sum * factor); }

TEST(Requantization, RoundsAsDoublesDoCloseToTies) {
  test::Random random(7);
  for (int i = 0; i < 20000; ++i) {
    // The sum whose product is closest to a tie, for factors of any size.
    const double factor = std::ldexp(1 + double(random.below(1 << 20)) / (1 << 20), -int(random.below(18)));
    const double tie = double(random.below(255)) + 0.5;
    const auto sum = int32_t(std::round(tie / factor)) * (random.below(2) == 0 ? 1 : -1);
    const float got = requantized(sum, requantization_bits(factor));
    ASSERT_EQ(double(got), nearest(sum, factor)) << sum << " * " << factor;
  }
}

TEST(Requantization, RoundsTiesAwayFromZero) {
  for (const double factor : {0.5, 0.25, 0.125, 1.5, 0.0009765625}) {
    for (int32_t sum = -3000; sum < 3000; ++sum)
      ASSERT_EQ(requantized(sum, requantization_bits(factor)), float(nearest(sum, factor))) << sum;
  }
}

TEST(Requantization, SaturatesWithFactorsOfAnySize) {
  for (const double factor : {1e-30, 1e5, 1e7, 1e30}) {
    EXPECT_EQ(requantized(0, requantization_bits(factor)), 0);
    const float one = requantized(1, requantization_bits(factor));
    EXPECT_TRUE(factor < 1 ? one == 0 : one >= 1000) << factor;
  }
}

// The kernel's sum_of_steps().
float sum_of_steps(int left, int right, const SumFactors& factors) {
  const float sum = float(left) * factors.high[0] + float(right) * factors.high[1];
  EXPECT_EQ(double(sum), double(left) * factors.high[0] + double(right) * factors.high[1]);
  const float rest = float(left) * factors.low[0] + float(right) * factors.low[1];
  const float size = std::abs(sum), whole = std::floor(size);
  const bool is_below = size - whole + (std::signbit(sum) ? -rest : rest) < 0.5f;
  return std::copysign(whole + (is_below ? 0.0f : 1.0f), sum);
}

TEST(Requantization, AddsStepsAsDoublesDo) {
  test::Random random(8);
  for (int i = 0; i < 200; ++i) {
    const double a = std::ldexp(1 + double(random.below(1000)) / 997, -int(random.below(8)));
    const double b = std::ldexp(1 + double(random.below(1000)) / 991, -int(random.below(8)));
    const auto factors = sum_factors(a, random.below(2) == 0 ? b : -b);
    ASSERT_TRUE(factors);
    for (int j = 0; j < 200; ++j) {
      const int left = int(random.below(511)) - 255, right = int(random.below(511)) - 255;
      const double exact = left * (double(factors->high[0]) + double(factors->low[0])) +
                           right * (double(factors->high[1]) + double(factors->low[1]));
      ASSERT_EQ(sum_of_steps(left, right, *factors), float(std::round(exact))) << exact;
    }
  }
  EXPECT_FALSE(sum_factors(1e6, 1));
}

TEST(Requantization, LimitsAreSteps) {
  const Quant quant{.scales = {0.7}, .zero_points = {-3}};
  EXPECT_EQ(step_limits(quant, 0, 6), (std::array{0.0f, 9.0f}));
  EXPECT_EQ(step_limits(quant, -INFINITY, INFINITY), (std::array{-125.0f, 130.0f}));
}

TEST(Requantization, PoolsWithAnActivationComputeOnRealValues) {
  const Quant quant{.scales = {0.5}, .zero_points = {3}};
  const auto pool = [&](int64_t activation) {
    test::LoweredNode node(Op::avg_pool);
    node.input({1, 4, 4, 8}, DType::i8, quant).output({1, 2, 2, 8}, DType::i8, quant);
    node.integer(Attr::activation, {double(activation)});
    const std::vector<const std::byte*> values(2, nullptr);
    return computes_on_steps(node.view(values));
  };
  EXPECT_TRUE(pool(0));
  EXPECT_FALSE(pool(2));
}

}  // namespace
}  // namespace nnrt::vulkan
