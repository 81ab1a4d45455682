#include "tests/support/node_maker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

std::vector<int32_t> drawn(const std::vector<float>& logits, std::vector<int32_t> seeds, int samples) {
  return NodeMaker(Op::random_multinomial)
      .integer(Attr::samples, {double(samples)})
      .input<float>({1, int64_t(logits.size())}, logits)
      .input<int32_t>({2}, seeds)
      .output(DType::i32, {1, samples})
      .run_for<int32_t>();
}

TEST(RandomMultinomial, DrawsByTheProbabilities) {
  constexpr int kSamples = 40000;
  const std::vector<float> logits{0, 1, -1, 2, -INFINITY};
  double sum = 0;
  for (const float logit : logits) sum += std::exp(double(logit));
  std::vector<int> counts(logits.size());
  for (const int32_t label : drawn(logits, {1, 2}, kSamples)) ++counts[size_t(label)];
  for (size_t label = 0; label < logits.size(); ++label) {
    const double probability = std::exp(double(logits[label])) / sum;
    const double deviation = std::sqrt(kSamples * probability * (1 - probability));
    EXPECT_NEAR(counts[label], kSamples * probability, 5 * deviation) << label;
  }
}

TEST(RandomMultinomial, IsAFunctionOfItsSeeds) {
  const std::vector<float> logits(50, 0);
  EXPECT_EQ(drawn(logits, {1, 2}, 30), drawn(logits, {1, 2}, 30));
  const std::set<std::vector<int32_t>> all{drawn(logits, {1, 2}, 30), drawn(logits, {2, 1}, 30),
                                           drawn(logits, {1, 3}, 30), drawn(logits, {-1, 2}, 30)};
  EXPECT_EQ(all.size(), 4u);
}

}  // namespace
}  // namespace nnrt::cpu
