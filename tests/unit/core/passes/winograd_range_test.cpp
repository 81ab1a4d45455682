#include "core/passes/winograd_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace nnrt::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Two output channels of nine taps of three input channels.
std::vector<float> weights(float other, size_t place) {
  std::vector<float> values(2 * 9 * 3, 0.5f);
  values[place] = other;
  return values;
}

TEST(WinogradRange, WeightsOfOneMagnitudeTakeLargeInputs) {
  const float limit = winograd_limit(weights(0.5f, 0), 2, 9);
  EXPECT_GT(limit, 1e30f);
  EXPECT_LT(limit, 1e34f);
}

TEST(WinogradRange, AcceptsTapsLast) {
  for (size_t place = 0; place < 2 * 9 * 3; ++place) {
    for (const float other : {0.25f, 40.0f, 70.0f, kInfinity, std::nanf("")}) {
      const std::vector<float> taps_first = weights(other, place);
      std::vector<float> taps_last(taps_first.size());
      for (size_t i = 0; i < taps_last.size(); ++i)
        taps_last[i / 27 * 27 + i % 3 * 9 + i / 3 % 9] = taps_first[i];
      EXPECT_EQ(winograd_limit(taps_last, 2, 9, true), winograd_limit(taps_first, 2, 9)) << place;
    }
  }
}

TEST(WinogradRange, NoStepOverflowsAtTheLimit) {
  const float limit = winograd_limit(weights(40, 7), 2, 9);
  EXPECT_LT(double(limit) * 100 * 361 * 40 * 27, double(std::numeric_limits<float>::max()));
}

// Uniformly small weights may vary: errors relative to 1 are small.
TEST(WinogradRange, DeclinesWideTapRange) {
  EXPECT_GT(winograd_limit(weights(60, 30), 2, 9), 0);
  EXPECT_EQ(winograd_limit(weights(70, 30), 2, 9), 0);
  EXPECT_EQ(winograd_limit(weights(-1e30f, 0), 2, 9), 0);
  EXPECT_GT(winograd_limit(weights(1e-30f, 4), 2, 9), 0);
  EXPECT_GT(winograd_limit(std::vector<float>(2 * 9 * 3, 1e5f), 2, 9), 0);
}

TEST(WinogradRange, RejectsNonFiniteWeights) {
  for (const float weight : {kInfinity, -kInfinity, std::nanf("")})
    EXPECT_EQ(winograd_limit(weights(weight, 53), 2, 9), 0) << weight;
}

TEST(WinogradRange, PropagatesNan) {
  EXPECT_EQ(max_magnitude(std::vector<float>{1, -3, 2}), 3);
  EXPECT_EQ(max_magnitude(std::vector<float>{1, -kInfinity, 2}), kInfinity);
  EXPECT_TRUE(std::isnan(max_magnitude(std::vector<float>{1, std::nanf(""), kInfinity})));
  EXPECT_EQ(max_magnitude({}), 0);
}

}  // namespace
}  // namespace nnrt::test
