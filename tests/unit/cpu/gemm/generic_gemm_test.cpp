#include "backends/cpu/gemm/generic_gemm.h"

#include "backends/cpu/gemm/generic_microkernel.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace nnrt::cpu {
namespace {

// Small integers, which floats add exactly in any order.
std::vector<float> counted(size_t count, int period) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = float(int(i * 7 % size_t(period)) - period / 2);
  return values;
}

class EachVectorLength : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() > vector_bytes()) GTEST_SKIP() << "vectors of so many bytes are not to be used";
  }
};

TEST_P(EachVectorLength, SumsBlocksOfAnyNumberOfRows) {
  const BlockSize size = block_size(GetParam());
  constexpr int64_t kInner = 37, kStride = 41;
  const std::vector<float> left = counted(size_t(size.rows * kStride), 11);
  const std::vector<float> panel = counted(size_t(kInner * size.columns), 13);
  for (int rows = 1; rows <= size.rows; ++rows) {
    std::vector<float> want(size_t(rows * size.columns)), got(want.size());
    for (int r = 0; r < rows; ++r)
      for (int64_t k = 0; k < kInner; ++k)
        for (int c = 0; c < size.columns; ++c)
          want[size_t(r * size.columns + c)] +=
              left[size_t(r * kStride + k)] * panel[size_t(k * size.columns + c)];
    block_sums(GetParam(), rows, left.data(), kStride, panel.data(), kInner, got.data());
    EXPECT_EQ(got, want) << rows << " rows";
  }
}

TEST_P(EachVectorLength, MultipliesVectorsOfAnyLength) {
  for (const int64_t length : {1, 3, 16, 67, 131}) {
    const std::vector<float> a = counted(size_t(length), 11), b = counted(size_t(length), 5);
    EXPECT_EQ(dot(GetParam(), a.data(), b.data(), length),
              std::inner_product(a.begin(), a.end(), b.begin(), 0.0f));
  }
}

TEST_P(EachVectorLength, MultipliesAVectorWithManyRows) {
  constexpr int64_t kRows = 5;
  for (const int64_t length : {8, 32, 70}) {
    const std::vector<float> a = counted(size_t(length), 11), b = counted(size_t(kRows * length), 5);
    std::vector<float> want, got(kRows);
    for (int64_t row = 0; row < kRows; ++row)
      want.push_back(std::inner_product(a.begin(), a.end(), b.begin() + row * length, 0.0f));
    inner_products(GetParam(), a.data(), b.data(), length, kRows, got.data());
    EXPECT_EQ(got, want);
  }
}

TEST_P(EachVectorLength, MultipliesAFewRowsWithLines) {
  constexpr int64_t kInner = 21;
  for (const int64_t columns : {1, 7, 44, 601, 1100}) {
    const int64_t stride = columns + 3, sum_stride = columns + 5;
    const std::vector<float> lines = counted(size_t(kInner * stride), 13);
    for (int64_t rows = 1; rows <= 7; ++rows) {
      const std::vector<float> x = counted(size_t(rows * kInner), 11);
      std::vector<float> want(size_t(rows * sum_stride), 77.0f), got = want;
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
          float& sum = want[size_t(r * sum_stride + c)] = 0;
          for (int64_t k = 0; k < kInner; ++k)
            sum += x[size_t(r * kInner + k)] * lines[size_t(k * stride + c)];
        }
      line_products(GetParam(), {x.data(), rows, kInner}, lines.data(), stride, columns, got.data(),
                    sum_stride);
      EXPECT_EQ(got, want) << rows << " x " << columns;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, EachVectorLength, testing::Values(16, 32, 64),
                         testing::PrintToStringParamName());

// Rows of 127 - (-128) times columns of -128 - 127.
std::vector<int32_t> extreme_gemm(int64_t rows, int64_t columns, int64_t inner) {
  const std::vector<int8_t> quantized(static_cast<size_t>(columns * inner), int8_t{-128});
  const std::vector<int32_t> zero_points{127};
  GenericGemm<int32_t> gemm{rows, columns, inner};
  gemm.left = [inner](int64_t begin, int64_t end, std::vector<float>& scratch) {
    scratch.assign(size_t((end - begin) * inner), 255.0f);
    return RowBlock{scratch.data(), inner};
  };
  gemm.right = contiguous_columns(quantized.data(), inner, columns, inner, zero_points);
  std::vector<int32_t> result(static_cast<size_t>(rows * columns));
  gemm.store = [&](const Sums<int32_t>& sums) {
    for (int64_t r = 0; r < sums.rows; ++r)
      std::copy_n(sums.data + r * sums.stride, sums.columns,
                  result.begin() + (sums.row + r) * columns + sums.column);
  };
  multiply(gemm, ThreadPool::shared());
  return result;
}

TEST(GenericGemm, IsExactForTheLargestQuantizedValues) {
  for (const int64_t rows : {1, 4, 5, 311}) {
    const std::vector<int32_t> want(static_cast<size_t>(rows * 37), -255 * 255 * 3001);
    EXPECT_EQ(extreme_gemm(rows, 37, 3001), want) << rows << " rows";
  }
}

TEST(GenericGemm, WrapsAroundBeyond32Bits) {
  constexpr int64_t kInner = 40009;
  const int32_t wrapped = int32_t(uint32_t(-255 * 255 * kInner));
  EXPECT_EQ(extreme_gemm(1, 3, kInner), std::vector<int32_t>(3, wrapped));
}

}  // namespace
}  // namespace nnrt::cpu
