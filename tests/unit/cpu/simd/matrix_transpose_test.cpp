#include "backends/cpu/simd/matrix_transpose.h"

#include "backends/cpu/simd/simd.h"

#include <gtest/gtest.h>

#include <vector>

namespace nnrt::cpu {
namespace {

// At every vector length. Rows of both matrices are `gap` elements longer than needed.
template <typename T>
void expect_transposed(int64_t rows, int64_t columns, int64_t gap) {
  const int64_t step = columns + gap, to_step = rows + gap;
  std::vector<T> from(size_t((rows - 1) * step + columns)),
      want(size_t((columns - 1) * to_step + rows), T(77));
  for (size_t i = 0; i < from.size(); ++i) from[i] = T(i * 91 + i / 256);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) want[size_t(c * to_step + r)] = from[size_t(r * step + c)];
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2) {
    std::vector<T> to(want.size(), T(77));
    transpose_matrix(bytes, {rows, columns, step}, from.data(), to.data(), to_step);
    EXPECT_EQ(to, want) << rows << " x " << columns << ", " << gap << ", " << bytes << " bytes";
  }
}

TEST(MatrixTranspose, TransposesEverySize) {
  for (const int64_t rows : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40})
    for (const int64_t columns : {1, 3, 4, 7, 8, 15, 16, 17, 33, 64, 65, 130})
      for (const int64_t gap : {0, 3}) {
        expect_transposed<uint8_t>(rows, columns, gap);
        expect_transposed<uint16_t>(rows, columns, gap);
        expect_transposed<uint32_t>(rows, columns, gap);
      }
}

template <typename T>
void expect_interleaved(int64_t count) {
  const int64_t step = count + 5;
  std::vector<T> from(size_t(3 * step)), want(size_t(3 * count) + 1, 9);
  for (size_t i = 0; i < from.size(); ++i) from[i] = T(i * 37 + 1);
  for (int64_t i = 0; i < 3 * count; ++i) want[size_t(i)] = from[size_t(i % 3 * step + i / 3)];
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2) {
    std::vector<T> to(want.size(), 9);
    interleave_three(bytes, from.data(), step, count, to.data());
    EXPECT_EQ(to, want) << count << ", " << bytes << " bytes";
  }
}

TEST(MatrixTranspose, InterleavesThreeLines) {
  for (const int64_t count : {0, 1, 5, 16, 19, 20, 36, 67, 68, 69, 200}) {
    expect_interleaved<uint8_t>(count);
    expect_interleaved<uint32_t>(count);
  }
}

}  // namespace
}  // namespace nnrt::cpu
