#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<uint32_t> reduced(Op op, int64_t rows, int64_t length, const std::vector<float>& x) {
  std::vector<uint32_t> bits;
  for (const float y : NodeMaker(op)
                           .input({rows, length}, x)
                           .input<int64_t>({1}, {1})
                           .output(DType::f32, {rows, 1})
                           .run_for<float>())
    bits.push_back(std::bit_cast<uint32_t>(y));
  return bits;
}

// The extreme of each eighth or 32nd element, then of lanes half as many apart, and so on. The last elements
// may be joined twice. The order decides which of two zeros is the result.
template <typename Join>
uint32_t extreme_of(const float* x, int64_t length, float start, Join join) {
  const int64_t lanes = length >= 32 ? 32 : 8;
  std::vector<float> totals(size_t(lanes), start);
  for (int64_t i = 0; i < length; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      float& total = totals[size_t(lane)];
      total = join(total, x[std::min(i, length - lanes) + lane]);
    }
  for (size_t half = totals.size() / 2; half > 0; half /= 2)
    for (size_t lane = 0; lane < half; ++lane) totals[lane] = join(totals[lane], totals[lane + half]);
  return std::bit_cast<uint32_t>(join(start, totals[0]));
}

TEST(RowExtremes, HaveTheSameBitsForEachVectorLength) {
  std::mt19937 random(1);
  const float kinds[] = {0.0f, -0.0f, 1, -1, kInf, -kInf, kNan};
  for (const int64_t rows : {1, 3, 4, 7, 8, 9, 15, 16, 17, 45, 1043})
    for (const int64_t length : {8, 9, 15, 16, 31, 32, 33, 56, 61, 64, 128, 255, 256}) {
      // Rows of few values have many ties, also of zeros; other rows are large in any place.
      std::vector<float> x;
      for (int64_t row = 0; row < rows; ++row) {
        const size_t least = random() % 2 * 4, count = random() % 3;
        for (int64_t i = 0; i < length; ++i)
          x.push_back(row % 3 == 0 ? float(int32_t(random()))
                                   : kinds[(row % 3 == 1 ? 0 : least) + random() % (count + 1)]);
      }
      std::vector<uint32_t> maxima, minima;
      for (int64_t row = 0; row < rows; ++row) {
        const float* const from = x.data() + row * length;
        maxima.push_back(extreme_of(from, length, -kInf, [](float a, float b) { return a < b ? b : a; }));
        minima.push_back(extreme_of(from, length, kInf, [](float a, float b) { return b < a ? b : a; }));
      }
      for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
        const IsaLimit limit(isa);
        EXPECT_EQ(reduced(Op::reduce_max, rows, length, x), maxima) << rows << " x " << length;
        EXPECT_EQ(reduced(Op::reduce_min, rows, length, x), minima) << rows << " x " << length;
      }
    }
}

// One long row, in parts on several threads.
TEST(RowExtremes, DoNotDependOnSplitting) {
  std::mt19937 random(2);
  for (const int64_t length : {65535, 65536, 65537, 98304, 100003, 300000})
    for (const int kind : {0, 1, 2, 3}) {
      std::vector<float> x;
      for (int64_t i = 0; i < length; ++i)
        x.push_back(kind == 0 ? float(int32_t(random())) : kind == 1 ? 0.0f : kind == 2 ? -1.0f : kNan);
      for (int i = 0; kind > 0 && i < 9; ++i)
        x[random() % x.size()] = kind == 1 ? -0.0f : random() % 2 == 0 ? 0.0f : -0.0f;
      const std::vector<uint32_t> most{
          extreme_of(x.data(), length, -kInf, [](float a, float b) { return a < b ? b : a; })};
      const std::vector<uint32_t> least{
          extreme_of(x.data(), length, kInf, [](float a, float b) { return b < a ? b : a; })};
      for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
        const IsaLimit limit(isa);
        EXPECT_EQ(reduced(Op::reduce_max, 1, length, x), most) << length << " " << kind;
        EXPECT_EQ(reduced(Op::reduce_min, 1, length, x), least) << length << " " << kind;
      }
    }
}

template <typename T>
void expect_extremes_of_parts(DType dtype) {
  std::mt19937 random(3);
  for (const size_t length : {65536, 100003}) {
    std::vector<T> x;
    for (size_t i = 0; i < length; ++i) x.push_back(T(int32_t(random() >> 2)));
    for (const size_t place : {size_t{0}, size_t{32767}, size_t{65535}, length - 1}) {
      const auto of = [&](Op op) {
        return NodeMaker(op)
            .input(Shape{int64_t(length)}, x)
            .template input<int64_t>({1}, {0})
            .output(dtype, {1})
            .template run_for<T>();
      };
      const T before = x[place];
      x[place] = T(std::numeric_limits<int32_t>::max());
      EXPECT_EQ(of(Op::reduce_max), std::vector<T>{x[place]}) << place << " of " << length;
      x[place] = T(std::numeric_limits<int32_t>::min());
      EXPECT_EQ(of(Op::reduce_min), std::vector<T>{x[place]}) << place << " of " << length;
      x[place] = before;
    }
  }
}

TEST(RowExtremes, AreFoundForEveryTypeAndPart) {
  expect_extremes_of_parts<int32_t>(DType::i32);
  expect_extremes_of_parts<int64_t>(DType::i64);
  expect_extremes_of_parts<double>(DType::f64);
}

}  // namespace
}  // namespace nnrt::cpu
