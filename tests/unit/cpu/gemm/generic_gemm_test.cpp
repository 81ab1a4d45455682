#include "backends/cpu/gemm/generic_gemm.h"

#include <gtest/gtest.h>

#include <vector>

namespace nnrt::cpu {
namespace {

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
