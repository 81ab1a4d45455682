#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"

#include <cmath>
#include <vector>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

std::vector<float> reduced(Op op, int64_t rows, int64_t length, const std::vector<float>& x) {
  return NodeMaker(op)
      .input({rows, length}, x)
      .input<int64_t>({1}, {1})
      .output(DType::f32, {rows, 1})
      .run_for<float>();
}

// Eight totals, each of every eighth element, the rest added to the first.
double sum_of(const float* x, int64_t length, bool squares) {
  const auto term = [&](int64_t i) { return squares ? double(x[i]) * double(x[i]) : double(x[i]); };
  const int64_t whole = length / 8 * 8;
  double totals[8] = {};
  for (int64_t i = 0; i < whole; ++i) totals[i % 8] += term(i);
  for (int64_t i = whole; i < length; ++i) totals[0] += term(i);
  for (int half = 4; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) totals[lane] += totals[lane + half];
  return totals[0];
}

TEST(RowSums, HaveTheSameBitsForEachVectorLength) {
  for (const int64_t rows : {1, 7, 8, 9, 23, 1031})
    for (const int64_t length : {8, 9, 15, 16, 56, 61, 128, 255}) {
      std::vector<float> x;
      for (int64_t i = 0; i < rows * length; ++i)
        x.push_back(float(i * 7919 % 10007 - 5000) / 3 * (i % 5 == 0 ? 1e6f : 1));
      std::vector<float> sums, means, norms;
      for (int64_t row = 0; row < rows; ++row) {
        const float* const from = x.data() + row * length;
        sums.push_back(float(sum_of(from, length, false)));
        means.push_back(float(sum_of(from, length, false) / double(length)));
        norms.push_back(float(std::sqrt(sum_of(from, length, true))));
      }
      for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
        const IsaLimit limit(isa);
        EXPECT_EQ(reduced(Op::reduce_sum, rows, length, x), sums) << rows << " x " << length;
        EXPECT_EQ(reduced(Op::reduce_mean, rows, length, x), means) << rows << " x " << length;
        EXPECT_EQ(reduced(Op::reduce_l2, rows, length, x), norms) << rows << " x " << length;
      }
    }
}

}  // namespace
}  // namespace nnrt::cpu
