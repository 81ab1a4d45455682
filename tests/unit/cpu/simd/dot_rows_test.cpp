#include "backends/cpu/simd/dot_rows.h"

#include "backends/cpu/simd/simd.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace nnrt::cpu {
namespace {

// Threads share the rows, so a row's sum must not depend on how many are computed together.
TEST(DotRows, RoundEachRowAsAlone) {
  constexpr int64_t kRows = 7;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-1, 1);
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2) {
    for (const int64_t inner : {5, 37, 64, 200}) {
      std::vector<float> x(size_t(kRows * inner)), column(static_cast<size_t>(inner));
      for (float& value : x) value = values(random);
      for (float& value : column) value = values(random);
      std::vector<const float*> parts;
      for (int64_t row = 0; row < kRows; ++row) parts.push_back(x.data() + row * inner);
      std::vector<float> at_once(kRows), alone(kRows);
      dot_rows(bytes, {parts.data(), kRows, 1, inner, kRows}, column.data(), at_once.data());
      for (size_t row = 0; row < size_t{kRows}; ++row)
        dot_rows(bytes, {&parts[row], 1, 1, inner, 1}, column.data(), &alone[row]);
      EXPECT_EQ(at_once, alone) << bytes << " bytes, " << inner << " products";
    }
  }
}

}  // namespace
}  // namespace nnrt::cpu
