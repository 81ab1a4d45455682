#include "tools/nnrt/quantize/range_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace nnrt::tool {
namespace {

uint64_t counted(const Histogram& histogram) {
  return std::accumulate(histogram.bins().begin(), histogram.bins().end(), uint64_t{0});
}

// A peak at 0 with tails on both sides.
Histogram with_long_tails() {
  std::mt19937 random(1);
  std::exponential_distribution<float> exponential;
  std::vector<float> values(400'000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i % 2 == 0 ? exponential(random) : -exponential(random);
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

TEST(Histogram, CountsAnyMagnitude) {
  Histogram histogram;
  histogram.add(std::vector<float>{0, 1e-6f, -2e-6f});
  histogram.add(std::vector<float>{3, 0, -4});
  histogram.add(std::vector<float>{1e5f});
  EXPECT_EQ(histogram.count(), 7u);
  EXPECT_EQ(counted(histogram), 5u);
  EXPECT_FLOAT_EQ(static_cast<float>(histogram.min()), -4);
  EXPECT_FLOAT_EQ(static_cast<float>(histogram.max()), 1e5f);
  EXPECT_TRUE(histogram.is_finite());
}

TEST(Histogram, PutsElementsIntoBinsNearThem) {
  for (const float value : {1.0f, -1.0f, 0.3f, -7.5f, 1e-30f}) {
    Histogram histogram;
    histogram.add(std::vector<float>{value});
    histogram.add(std::vector<float>{value / 2});  // the first bins stay
    for (size_t i = 0; i < histogram.bins().size(); ++i) {
      if (histogram.bins()[i] == 0) continue;
      const double center = histogram.center(i);
      const double distance = std::min(std::abs(center - static_cast<double>(value)),
                                       std::abs(center - static_cast<double>(value) / 2));
      EXPECT_LE(distance, histogram.width()) << value;
    }
  }
}

TEST(Histogram, DetectsNonFiniteValues) {
  Histogram histogram;
  histogram.add(std::vector<float>{1, -INFINITY});
  EXPECT_FALSE(histogram.is_finite());
}

TEST(RangeChoice, MinMaxIncludesZero) {
  Histogram histogram;
  histogram.add(std::vector<float>{2, 5});
  const import::ValueRange range = choose_range(histogram, RangeMethod::min_max);
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 5);
}

TEST(RangeChoice, OthersLeaveOutTheEndsOfLongTails) {
  const Histogram histogram = with_long_tails();
  const import::ValueRange whole = choose_range(histogram, RangeMethod::min_max);
  EXPECT_EQ(whole.high, histogram.max());
  EXPECT_EQ(whole.low, histogram.min());
  for (const RangeMethod method : {RangeMethod::percentile, RangeMethod::mse}) {
    const import::ValueRange range = choose_range(histogram, method);
    EXPECT_LT(range.high, whole.high - 1);
    EXPECT_GT(range.low, whole.low + 1);
    EXPECT_GT(range.high, 7);  // one element in a thousand is beyond that
    EXPECT_LT(range.low, -7);
  }
}

TEST(RangeChoice, OfZerosAloneIsEmpty) {
  Histogram histogram;
  histogram.add(std::vector<float>{0, 0});
  const import::ValueRange range = choose_range(histogram, RangeMethod::mse);
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 0);
}

TEST(RangeMethods, HaveNames) {
  EXPECT_TRUE(parse_range_method("mse").ok());
  EXPECT_FALSE(parse_range_method("entropy").ok());
}

}  // namespace
}  // namespace nnrt::tool
