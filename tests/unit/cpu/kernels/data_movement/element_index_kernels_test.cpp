#include "tests/support/node_maker.h"

#include <numeric>

namespace nnrt::cpu {
namespace {

using test::fp16_values;
using test::NodeMaker;

TEST(GatherElements, HandlesNegativeAndOutOfRangeIndices) {
  EXPECT_EQ(NodeMaker(Op::gather_elements)
                .input<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6}, {{0.5}, {-9}})
                .input<int64_t>({1, 5}, {-1, 0, 3, -4, int64_t{1} << 32})
                .integer(Attr::axis, {1})
                .output(DType::i8, {1, 5}, {{0.5}, {-9}})
                .run_for<int8_t>(),
            (std::vector<int8_t>{3, 1, -9, -9, -9}));
}

TEST(ScatterElements, HandlesDuplicateAndOutOfRangeIndices) {
  EXPECT_EQ(NodeMaker(Op::scatter_elements)
                .input<int16_t>({3, 2}, {1, 2, 3, 4, 5, 6})
                .input<int32_t>({4, 1}, {2, 0, -1, 3})
                .input<int16_t>({4, 1}, {7, 8, 9, 10})
                .output(DType::i16, {3, 2})
                .run_for<int16_t>(),
            (std::vector<int16_t>{8, 2, 3, 4, 9, 6}));
}

// Each update is a separate group along the axis; tasks must not write the same element.
TEST(ScatterElements, AddsManyUpdatesInOrder) {
  constexpr int64_t kRows = 300, kColumns = 200;
  std::vector<int32_t> x(size_t(kRows) * kColumns), indices(x.size()), updates(x.size()), want(x.size());
  std::iota(x.begin(), x.end(), 0);
  for (size_t i = 0; i < x.size(); ++i) {
    indices[i] = int32_t(i * 7 % 13);
    updates[i] = int32_t(i % 101);
  }
  for (const int64_t axis : {0, 1}) {
    want = x;
    for (int64_t i = 0; i < int64_t(x.size()); ++i) {
      const int64_t row = i / kColumns, column = i % kColumns, index = indices[size_t(i)];
      want[size_t(axis == 0 ? index * kColumns + column : row * kColumns + index)] += updates[size_t(i)];
    }
    EXPECT_EQ(NodeMaker(Op::scatter_elements)
                  .input({kRows, kColumns}, x)
                  .input({kRows, kColumns}, indices)
                  .input({kRows, kColumns}, updates)
                  .integer(Attr::axis, {double(axis)})
                  .integer(Attr::reduction, {1})
                  .output(DType::i32, {kRows, kColumns})
                  .run_for<int32_t>(),
              want);
  }
}

TEST(ScatterNdUpdate, RoundsSumsOfFp16Once) {
  NodeMaker maker(Op::scatter_nd_update);
  maker.input({2}, fp16_values({2048, 1}))
      .input<int32_t>({3, 1}, {0, 0, 0})
      .input({3}, fp16_values({1, 1, 1}))
      .integer(Attr::reduction, {1})
      .output(DType::f16, {2});
  ASSERT_TRUE(maker.run());
  EXPECT_EQ(test::floats(maker.result<Half>()), (std::vector<float>{2052, 1}));  // ties to even
}

TEST(ScatterNdUpdate, SkipsARowWithOneIndexOutside) {
  EXPECT_EQ(NodeMaker(Op::scatter_nd_update)
                .input<uint8_t>({2, 2}, {1, 2, 3, 4})
                .input<int64_t>({3, 2}, {0, 2, -1, -2, -3, 0})
                .input<uint8_t>({3}, {7, 8, 9})
                .output(DType::u8, {2, 2})
                .run_for<uint8_t>(),
            (std::vector<uint8_t>{1, 2, 8, 4}));
}

TEST(CumSum, OfLinesAcrossIsThatOfLinesAlong) {
  NodeMaker maker(Op::cum_sum);
  maker.input<int32_t>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
      .integer(Attr::axis, {1})
      .integer(Attr::reverse, {1})
      .integer(Attr::exclusive, {1})
      .output(DType::i32, {2, 3, 2});
  EXPECT_EQ(maker.run_for<int32_t>(), (std::vector<int32_t>{8, 10, 5, 6, 0, 0, 20, 22, 11, 12, 0, 0}));
}

TEST(Trilu, FarDiagonalsKeepAllOrNothing) {
  const auto run = [](double diagonal, bool upper) {
    return NodeMaker(Op::trilu)
        .input<int64_t>({2, 2}, {1, 2, 3, 4})
        .integer(Attr::diagonal, {diagonal})
        .integer(Attr::upper, {double(upper)})
        .output(DType::i64, {2, 2})
        .run_for<int64_t>();
  };
  const std::vector<int64_t> all{1, 2, 3, 4}, none{0, 0, 0, 0};
  EXPECT_EQ(run(-0x1p62, true), all);
  EXPECT_EQ(run(0x1p62, true), none);
  EXPECT_EQ(run(-0x1p62, false), none);
  EXPECT_EQ(run(0x1p62, false), all);
}

TEST(NonZero, GivesARowForEachDimension) {
  EXPECT_EQ(NodeMaker(Op::non_zero)
                .input<float>({2, 3}, {0, 1, 0, -2, -0.0f, 3})
                .output(DType::i32, {2, 3})
                .run_for<int32_t>(),
            (std::vector<int32_t>{0, 1, 1, 1, 0, 2}));
}

}  // namespace
}  // namespace nnrt::cpu
