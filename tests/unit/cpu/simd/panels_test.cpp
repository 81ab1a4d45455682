// Packing is exact for panels of every vector length, also of longer vectors than the processor's.
#include "backends/cpu/simd/panels.h"

#include "backends/cpu/simd/isa.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace nnrt::cpu {
namespace {

struct Matrix {
  int64_t columns, inner;
};

float element(int64_t k, int64_t column) { return float(k * 1000 + column + 1); }

// The element at a place in the panels; 0 is padding.
float expected(const Matrix& matrix, int64_t lanes, int64_t at) {
  const int64_t panel_floats = 2 * lanes * matrix.inner, first = at / panel_floats * 2 * lanes;
  const int64_t width = matrix.columns - first > lanes ? 2 * lanes : lanes;
  const int64_t k = at % panel_floats / width, column = first + at % panel_floats % width;
  return column < matrix.columns ? element(k, column) : 0;
}

template <typename Pack>
void expect_packed(const Matrix& matrix, bool columns_first, const Pack& pack) {
  std::vector<float> values(size_t(matrix.columns * matrix.inner));
  for (int64_t k = 0; k < matrix.inner; ++k)
    for (int64_t column = 0; column < matrix.columns; ++column)
      values[size_t(columns_first ? column * matrix.inner + k : k * matrix.columns + column)] =
          element(k, column);
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::dotprod}) {
    const IsaLimit limit(isa);
    for (int bytes = 16; bytes <= 64; bytes *= 2) {
      SCOPED_TRACE(testing::Message()
                   << bytes << " bytes, " << matrix.columns << " columns of " << matrix.inner);
      const int64_t lanes = bytes / int64_t(sizeof(float));
      const auto floats = size_t((matrix.columns + lanes - 1) / lanes * lanes * matrix.inner);
      std::vector<float> got(floats + 1, NAN), want(floats);
      pack(bytes, PanelSource{values.data(), matrix.columns, matrix.inner}, got.data());
      for (size_t i = 0; i < floats; ++i) want[i] = expected(matrix, lanes, int64_t(i));
      EXPECT_TRUE(std::isnan(got.back())) << "written past the end";
      got.pop_back();
      EXPECT_EQ(got, want);
    }
  }
}

class Panels : public testing::TestWithParam<Matrix> {};

TEST_P(Panels, HoldTheColumnsOfATransposedMatrix) {
  expect_packed(GetParam(), true, [](int bytes, const PanelSource& source, float* to) {
    const int64_t width = 2 * bytes / int64_t(sizeof(float)), panels = (source.columns + width - 1) / width;
    pack_columns(bytes, source, panels / 2, panels, to);  // tasks in any order
    pack_columns(bytes, source, 0, panels / 2, to);
  });
}

TEST_P(Panels, HoldTheColumnsOfAMatrix) {
  expect_packed(GetParam(), false, [](int bytes, const PanelSource& source, float* to) {
    pack_lines(bytes, source, source.inner / 3, source.inner, to);
    pack_lines(bytes, source, 0, source.inner / 3, to);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Panels,
                         testing::Values(Matrix{1, 1}, Matrix{3, 2}, Matrix{16, 16}, Matrix{17, 3},
                                         Matrix{32, 4}, Matrix{33, 129}, Matrix{41, 15}, Matrix{64, 128},
                                         Matrix{79, 261}, Matrix{100, 17}));

}  // namespace
}  // namespace nnrt::cpu
