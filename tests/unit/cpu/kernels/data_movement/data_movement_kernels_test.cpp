#include "tests/support/node_maker.h"

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

template <typename T>
void expect_transposed(int64_t rows, int64_t columns) {
  std::vector<T> x(size_t(rows * columns)), y(x.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c)
      x[size_t(r * columns + c)] = y[size_t(c * rows + r)] = T(1000 * r + 7 * c);
  }
  EXPECT_EQ(NodeMaker(Op::transpose)
                .input<T>({rows, columns}, x)
                .template input<int32_t>({2}, {1, 0})
                .output(kDTypeOf<T>, {columns, rows})
                .template run_for<T>(),
            y)
      << rows << " x " << columns << ", " << sizeof(T) << " bytes";
}

TEST(Move, TransposesTensorsLargerThanATile) {
  for (const auto& [rows, columns] : {std::pair{131, 211}, {600, 70}, {9, 1000}, {1000, 9}}) {
    expect_transposed<int8_t>(rows, columns);
    expect_transposed<int16_t>(rows, columns);
    expect_transposed<int32_t>(rows, columns);
    expect_transposed<double>(rows, columns);
  }
}

TEST(Move, InterleavesAFewLines) {
  for (const int64_t lines : {2, 3, 4}) {
    expect_transposed<uint8_t>(lines, 1000);
    expect_transposed<float>(lines, 1000);
  }
}

}  // namespace
}  // namespace nnrt::cpu
