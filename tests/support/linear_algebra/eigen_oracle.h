// Linear algebra by Eigen, in double: an oracle that shares no code with the kernels. Only eigen_oracle.cpp
// includes Eigen, whose headers are slow to compile.
#pragma once

#include "core/base/shape.h"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace nnrt::test::eigen {

using Reals = std::vector<double>;

inline Reals differences(const std::vector<int8_t>& codes, int32_t zero_point) {
  Reals values;
  for (const int8_t code : codes) values.push_back(code - zero_point);
  return values;
}

struct Gemm {
  int64_t rows = 1, columns = 1, inner = 1;
  bool transpose_a = false, transpose_b = false;
  // Two batch dimensions per operand, broadcast to each other.
  std::array<int64_t, 2> batch_a{1, 1}, batch_b{1, 1};
};
Reals gemm(const Gemm& shape, const Reals& a, const Reals& b);

struct Convolution {
  Shape x, w;  // NHWC, and OHWI with I channels per group
  std::array<int64_t, 2> stride{1, 1}, dilation{1, 1};
  std::array<int64_t, 4> pad{};  // top, bottom, left, right
  int64_t groups = 1;
  bool transposed = false;
  std::array<int64_t, 2> output_padding{};

  Shape result() const;
};
std::ostream& operator<<(std::ostream& to, const Convolution& c);
// Image patches times weights, group by group. Transposed: patches of the image with `stride - 1` zeros
// between its pixels, times the flipped weights.
Reals convolution(const Convolution& shape, const Reals& x, const Reals& w);

// Dimensions 1 and 3 are normalized or reduced together: [lines, 1, 1, length] are rows,
// [batch, pixels, groups, width] are groups of channels in NHWC.
using Dims = std::array<int64_t, 4>;

enum class Norm : uint8_t { layer, rms, l2 };
Reals normalized(Norm norm, const Dims& dims, const Reals& x, double epsilon);

enum class Reduction : uint8_t { sum, mean, product, l2 };
Reals reduced(Reduction reduction, const Dims& dims, const Reals& x);
// Integers wrap around.
template <typename Unsigned>
std::vector<Unsigned> wrapped(Reduction sum_or_product, const Dims& dims, const std::vector<Unsigned>& x);

}  // namespace nnrt::test::eigen
