#include "tools/nnrt/generate/sampler.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace nnrt::tool {
namespace {

constexpr float kLogits[] = {1.0f, 3.0f, NAN, 3.0f, 2.0f};

TEST(Sampler, IsGreedyAtZeroTemperature) {
  Sampler sampler({});
  EXPECT_EQ(sampler.choose(kLogits).value(), 1);
}

TEST(Sampler, RejectsNonFiniteLogits) {
  Sampler sampler({});
  EXPECT_FALSE(sampler.choose(std::array{NAN, NAN}).ok());
}

TEST(Sampler, DrawsByTheSeed) {
  Sampler one({.temperature = 1, .seed = 7}), same({.temperature = 1, .seed = 7}),
      other({.temperature = 1, .seed = 8});
  int differ = 0;
  for (int i = 0; i < 100; ++i) {
    const int64_t token = one.choose(kLogits).value();
    EXPECT_EQ(token, same.choose(kLogits).value());
    differ += token != other.choose(kLogits).value() ? 1 : 0;
  }
  EXPECT_GT(differ, 20);
}

TEST(Sampler, DrawsAsOftenAsTheModelSays) {
  Sampler sampler({.temperature = 2});
  std::array<int, 5> counts{};
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) ++counts[size_t(sampler.choose(kLogits).value())];
  double sum = 0;
  for (const float logit : kLogits) sum += std::isnan(logit) ? 0 : std::exp(logit / 2);
  for (size_t i = 0; i < counts.size(); ++i) {
    const double expected = std::isnan(kLogits[i]) ? 0 : std::exp(kLogits[i] / 2) / sum;
    EXPECT_NEAR(double(counts[i]) / kDraws, expected, 0.015) << i;
  }
}

TEST(Sampler, DrawsAmongTheTopKAlone) {
  Sampler sampler({.temperature = 10, .top_k = 2});
  for (int i = 0; i < 200; ++i) {
    const int64_t token = sampler.choose(kLogits).value();
    EXPECT_TRUE(token == 1 || token == 3) << token;
  }
}

TEST(Sampler, TopPKeepsTheLikeliestOfThisProbability) {
  const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.15f), std::log(0.05f)};
  const auto drawn = [&](double top_p) {
    Sampler sampler({.temperature = 1, .top_p = top_p});
    std::set<int64_t> tokens;
    for (int i = 0; i < 500; ++i) tokens.insert(sampler.choose(logits).value());
    return tokens;
  };
  EXPECT_EQ(drawn(0), (std::set<int64_t>{0}));
  EXPECT_EQ(drawn(0.49), (std::set<int64_t>{0}));
  EXPECT_EQ(drawn(0.7), (std::set<int64_t>{0, 1}));
  EXPECT_EQ(drawn(0.9), (std::set<int64_t>{0, 1, 2}));
  EXPECT_EQ(drawn(1), (std::set<int64_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace nnrt::tool
