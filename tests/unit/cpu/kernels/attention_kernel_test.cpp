#include "tests/support/node_maker.h"

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

}  // namespace
}  // namespace nnrt::cpu
