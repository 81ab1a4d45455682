#include "tests/support/node_maker.h"

#include <cmath>
#include <limits>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> values(int64_t count, size_t seed) {
  std::vector<float> result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i) result[i] = float(int((i * 37 + seed * 11) % 101) - 50) / 25;
  return result;
}

struct Case {
  const char* name;
  int64_t heads, queries, keys, size, value_size;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class AttentionOf : public testing::TestWithParam<Case> {};

// Composes ATTENTION from its operators, with a mask of [queries, keys].
std::vector<float> composed(const Case& c, const std::vector<float>& query, const std::vector<float>& key,
                            const std::vector<float>& value, const std::vector<float>& mask) {
  const Shape weights{c.heads, c.queries, c.keys};
  std::vector<float> products = NodeMaker(Op::matmul)
                                    .integer(Attr::transpose_b, {1})
                                    .input<float>({c.heads, c.queries, c.size}, query)
                                    .input<float>({c.heads, c.keys, c.size}, key)
                                    .output(DType::f32, weights)
                                    .run_for<float>();
  for (size_t i = 0; i < products.size(); ++i)
    products[i] = products[i] / std::sqrt(float(c.size)) + mask[i % mask.size()];
  products =
      NodeMaker(Op::softmax).input<float>(weights, products).output(DType::f32, weights).run_for<float>();
  return NodeMaker(Op::matmul)
      .input<float>(weights, products)
      .input<float>({c.heads, c.keys, c.value_size}, value)
      .output(DType::f32, {c.heads, c.queries, c.value_size})
      .run_for<float>();
}

TEST_P(AttentionOf, IsWhatItsPartsCompute) {
  const Case& c = GetParam();
  const auto query = values(c.heads * c.queries * c.size, 1), key = values(c.heads * c.keys * c.size, 2),
             value = values(c.heads * c.keys * c.value_size, 3);
  auto mask = values(c.queries * c.keys, 4);
  for (size_t i = 0; i < mask.size(); i += 5) mask[i] = -kInfinity;
  const auto result = NodeMaker(Op::attention)
                          .input<float>({1, c.heads, c.queries, c.size}, query)
                          .input<float>({1, c.heads, c.keys, c.size}, key)
                          .input<float>({1, c.heads, c.keys, c.value_size}, value)
                          .input<float>({c.queries, c.keys}, mask)
                          .output(DType::f32, {1, c.heads, c.queries, c.value_size})
                          .run_for<float>();
  test::expect_near(result, composed(c, query, key, value, mask), 1e-5f);
}

// Covers rows read in place, several key tiles, and several row chunks.
const Case kCases[] = {
    {"OneQuery", 3, 1, 600, 64, 64},    {"FewQueries", 2, 7, 300, 33, 65}, {"OneTile", 2, 20, 100, 16, 24},
    {"SeveralTiles", 2, 70, 530, 8, 8}, {"ManyRows", 1, 900, 270, 4, 4},
};
INSTANTIATE_TEST_SUITE_P(Sizes, AttentionOf, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

// The unfilled end of a cache of fixed capacity may hold anything.
TEST(Attention, SkipsFullyMaskedKeys) {
  constexpr int64_t kFilled = 290, kCapacity = 600, kSize = 8;
  for (const int64_t queries : {1, 3, 60}) {
    const auto run = [&](int64_t keys) {
      const auto cache = [&](size_t seed) {
        std::vector<float> rows = values(2 * kFilled * kSize, seed), all(size_t(2 * keys * kSize), kInfinity);
        for (int64_t head = 0; head < 2; ++head)
          std::copy_n(&rows[size_t(head * kFilled * kSize)], kFilled * kSize,
                      &all[size_t(head * keys * kSize)]);
        return all;
      };
      std::vector<Bool> mask(size_t(queries * keys));
      for (int64_t i = 0; i < queries * keys; ++i) mask[size_t(i)].bits = i % keys < kFilled - i / keys;
      return NodeMaker(Op::attention)
          .input<float>({1, 4, queries, kSize}, values(4 * queries * kSize, 1))
          .input<float>({1, 2, keys, kSize}, cache(2))
          .input<float>({1, 2, keys, kSize}, cache(3))
          .input<Bool>({1, 1, queries, keys}, mask)
          .output(DType::f32, {1, 4, queries, kSize})
          .run_for<float>();
    };
    EXPECT_EQ(run(kCapacity), run(kFilled)) << queries;
  }
}

TEST(Attention, FullyMaskedRowsMayStayNan) {
  for (const bool zero_nan : {false, true}) {
    NodeMaker maker(Op::attention);
    maker.integer(Attr::zero_nan, {double(zero_nan)});
    maker.input<float>({1, 1, 2, 1}, {1, 2}).input<float>({1, 1, 2, 1}, {1, 2});
    maker.input<float>({1, 1, 2, 1}, {3, 3});
    maker.input<float>({2, 2}, {-kInfinity, -kInfinity, 0, 0});
    const auto result = maker.output(DType::f32, {1, 1, 2, 1}).run_for<float>();
    ASSERT_EQ(result.size(), 2u);
    EXPECT_EQ(std::isnan(result[0]), !zero_nan);
    EXPECT_FALSE(zero_nan && result[0] != 0);
    EXPECT_FLOAT_EQ(result[1], 3);
  }
}

TEST(Attention, IsNanWhereAProductIs) {
  NodeMaker maker(Op::attention);
  maker.input<float>({1, 1, 3, 1}, {std::nanf(""), kInfinity, 1}).input<float>({1, 1, 2, 1}, {1, 2});
  maker.input<float>({1, 1, 2, 1}, {3, 3});
  const auto result = maker.output(DType::f32, {1, 1, 3, 1}).run_for<float>();
  ASSERT_EQ(result.size(), 3u);
  EXPECT_TRUE(std::isnan(result[0]));
  EXPECT_TRUE(std::isnan(result[1]));
  EXPECT_FLOAT_EQ(result[2], 3);
}

}  // namespace
}  // namespace nnrt::cpu
