#include "tests/support/node_maker.h"

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

TEST(Move, MovesEveryElementSize) {
  const auto transposed = []<typename T>(const std::vector<T>& x) {
    return NodeMaker(Op::transpose)
        .input<T>({2, 3}, x)
        .template input<int32_t>({2}, {1, 0})
        .output(kDTypeOf<T>, {3, 2})
        .template run_for<T>();
  };
  EXPECT_EQ(transposed(std::vector<int8_t>{1, 2, 3, 4, 5, 6}), (std::vector<int8_t>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(transposed(std::vector<int16_t>{1, 2, 3, 4, 5, 6}), (std::vector<int16_t>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(transposed(std::vector<uint32_t>{1, 2, 3, 4, 5, 6}), (std::vector<uint32_t>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(transposed(std::vector<double>{1, 2, 3, 4, 5, 6}), (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

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

TEST(Move, WritesSeveralOutputs) {
  NodeMaker split(Op::split);
  split.input<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})
      .integer(Attr::axis, {1})
      .integer(Attr::output_num, {2});
  ASSERT_TRUE(split.output(DType::f32, {2, 2}).output(DType::f32, {2, 2}).run());
  EXPECT_EQ(split.result<float>(0), (std::vector<float>{1, 2, 5, 6}));
  EXPECT_EQ(split.result<float>(1), (std::vector<float>{3, 4, 7, 8}));
}

TEST(Move, RequantizesInputsOfOtherParameters) {
  EXPECT_EQ(NodeMaker(Op::concat)
                .input<int8_t>({2}, {10, 127}, {{0.5}, {0}})
                .input<int8_t>({2}, {10, 127}, {{0.25}, {0}})
                .integer(Attr::axis, {0})
                .output(DType::i8, {4}, {{0.25}, {0}})
                .run_for<int8_t>(),
            (std::vector<int8_t>{20, 127, 10, 127}));
}

TEST(Move, PadsQuantizedTensorsWithTheZeroPoint) {
  EXPECT_EQ(NodeMaker(Op::pad)
                .input<int8_t>({2}, {1, 2}, {{0.5}, {-7}})
                .input<int32_t>({1, 2}, {1, 2})
                .output(DType::i8, {5}, {{0.5}, {-7}})
                .run_for<int8_t>(),
            (std::vector<int8_t>{-7, 1, 2, -7, -7}));
}

}  // namespace
}  // namespace nnrt::cpu
