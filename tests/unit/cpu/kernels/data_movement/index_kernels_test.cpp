#include "tests/support/node_maker.h"

#include <limits>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Gather, HandlesNegativeAndOutOfRangeIndices) {
  EXPECT_EQ(NodeMaker(Op::gather)
                .input<float>({2, 3}, {1, 2, 3, 4, 5, 6})
                .input<int64_t>({4}, {-1, 0, 3, -4})
                .input<int32_t>({1}, {1})
                .output(DType::f32, {2, 4})
                .run_for<float>(),
            (std::vector<float>{3, 1, 0, 0, 6, 4, 0, 0}));
}

TEST(Gather, TakesElementsAndRows) {
  const auto gathered = [](int32_t axis, const std::vector<int64_t>& indices, const Shape& result) {
    return NodeMaker(Op::gather)
        .input<float>({2, 3}, {1, 2, 3, 4, 5, 6})
        .input<int64_t>({int64_t(indices.size())}, indices)
        .input<int32_t>({1}, {axis})
        .output(DType::f32, result)
        .run_for<float>();
  };
  EXPECT_EQ(gathered(1, {2, 0, 0, -2}, {2, 4}), (std::vector<float>{3, 1, 1, 2, 6, 4, 4, 5}));
  EXPECT_EQ(gathered(0, {-1, 2, 0}, {3, 3}), (std::vector<float>{4, 5, 6, 0, 0, 0, 1, 2, 3}));
}

TEST(Gather, FillsWithTheZeroPoint) {
  EXPECT_EQ(NodeMaker(Op::gather)
                .input<int8_t>({2}, {1, 2}, {{0.5}, {-9}})
                .input<int32_t>({2}, {1, 7})
                .input<int32_t>({1}, {0})
                .output(DType::i8, {2}, {{0.5}, {-9}})
                .run_for<int8_t>(),
            (std::vector<int8_t>{2, -9}));
}

TEST(Gather, IgnoresTheParametersOfPlainNumbers) {
  EXPECT_EQ(NodeMaker(Op::gather)
                .input<uint8_t>({2}, {1, 2}, {{0.5}, {9}})
                .input<int32_t>({2}, {1, 7})
                .input<int32_t>({1}, {0})
                .output(DType::u8, {2}, {{0.25}, {3}})
                .run_for<uint8_t>(),
            (std::vector<uint8_t>{2, 0}));
}

// Same rule as for all data movement (core/schema/data_movement/copy_regions.h).
TEST(Gather, IsQuantizedLikeItsData) {
  EXPECT_EQ(NodeMaker(Op::gather)
                .input<int8_t>({2}, {1, 2})
                .input<int32_t>({2}, {1, 7})
                .input<int32_t>({1}, {0})
                .output(DType::i8, {2}, {{0.5}, {-9}})
                .run_for<int8_t>(),
            (std::vector<int8_t>{2, 0}));
  EXPECT_EQ(NodeMaker(Op::gather)
                .input<int8_t>({2}, {1, 2}, {{0.5}, {-9}})
                .input<int32_t>({2}, {1, 7})
                .input<int32_t>({1}, {0})
                .output(DType::i8, {2})
                .run_for<int8_t>(),
            (std::vector<int8_t>{2, -9}));
}

TEST(GatherNd, TakesRowsOfIndices) {
  EXPECT_EQ(NodeMaker(Op::gather_nd)
                .input<int32_t>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
                .input<int32_t>({3, 2}, {1, 0, 0, 1, -1, 0})
                .output(DType::i32, {3, 2})
                .run_for<int32_t>(),
            (std::vector<int32_t>{5, 6, 3, 4, 0, 0}));
}

TEST(ScatterNd, HandlesDuplicateAndOutOfRangeRows) {
  EXPECT_EQ(NodeMaker(Op::scatter_nd)
                .input<int64_t>({4, 1}, {2, 0, 5, 2})
                .input<int16_t>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
                .input<int32_t>({2}, {3, 2})
                .output(DType::i16, {3, 2})
                .run_for<int16_t>(),
            (std::vector<int16_t>{3, 4, 0, 0, 7, 8}));
}

TEST(SparseToDense, SpreadsOneValue) {
  EXPECT_EQ(NodeMaker(Op::sparse_to_dense)
                .input<int32_t>({2, 2}, {0, 1, 1, 0})
                .input<float>({1}, {9})
                .input<int32_t>({2}, {2, 2})
                .output(DType::f32, {2, 2})
                .run_for<float>(),
            (std::vector<float>{0, 9, 9, 0}));
}

TEST(OneHot, PutsTheDepthAtTheAxis) {
  const auto run = [](double axis, Shape shape) {
    return NodeMaker(Op::one_hot)
        .input<int32_t>({2}, {1, -1})
        .input<int32_t>({1}, {3})
        .input<float>({1}, {5})
        .input<float>({1}, {2})
        .integer(Attr::axis, {axis})
        .output(DType::f32, std::move(shape))
        .run_for<float>();
  };
  EXPECT_EQ(run(-1, {2, 3}), (std::vector<float>{2, 5, 2, 2, 2, 2}));
  EXPECT_EQ(run(0, {3, 2}), (std::vector<float>{2, 2, 5, 2, 2, 2}));
}

NodeMaker top_k(std::vector<float> x, bool descending) {
  NodeMaker maker(Op::top_k);
  maker.input<float>({int64_t(x.size())}, x)
      .input<int32_t>({1}, {3})
      .integer(Attr::sorted, {double(descending)});
  maker.output(DType::f32, {3}).output(DType::i64, {3});
  return maker;
}

TEST(TopK, LowerIndexRanksFirstAmongEquals) {
  NodeMaker maker = top_k({2, 7, kInf, 7, -kInf}, true);
  ASSERT_TRUE(maker.run());
  EXPECT_EQ(maker.result<float>(0), (std::vector<float>{kInf, 7, 7}));
  EXPECT_EQ(maker.result<int64_t>(1), (std::vector<int64_t>{2, 1, 3}));
}

TEST(TopK, UnsortedMeansAscending) {
  NodeMaker maker = top_k({2, 7, 9, 7, 1}, false);
  ASSERT_TRUE(maker.run());
  EXPECT_EQ(maker.result<float>(0), (std::vector<float>{7, 7, 9}));
  EXPECT_EQ(maker.result<int64_t>(1), (std::vector<int64_t>{1, 3, 2}));
}

TEST(TopK, SortsBesideNan) {
  NodeMaker maker = top_k({NAN, 1, NAN, 3, 2}, true);
  ASSERT_TRUE(maker.run());
  EXPECT_EQ(maker.result<float>(0), (std::vector<float>{3, 2, 1}));
}

TEST(TopK, WorksAlongAnInnerAxis) {
  NodeMaker maker(Op::top_k);
  maker.input<int32_t>({3, 2}, {1, 6, 5, 2, 3, 4}).input<int32_t>({1}, {2}).integer(Attr::axis, {0});
  ASSERT_TRUE(maker.output(DType::i32, {2, 2}).output(DType::i32, {2, 2}).run());
  EXPECT_EQ(maker.result<int32_t>(0), (std::vector<int32_t>{5, 6, 3, 4}));
  EXPECT_EQ(maker.result<int32_t>(1), (std::vector<int32_t>{1, 0, 2, 2}));
}

}  // namespace
}  // namespace nnrt::cpu
