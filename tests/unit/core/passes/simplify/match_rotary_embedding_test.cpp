// Recognizes rotary embedding written out by exporters.
#include "tests/unit/core/passes/simplify/simplified_graph.h"

namespace nnrt {
namespace {

using test::floats_of;
using test::GraphMaker;
using test::simplified;
using test::text_of;

constexpr int kConcatAxis = 10;

const Shape kShape{1, 3, 2, 4}, kHalf{1, 3, 2, 2};

TensorId concat(GraphMaker& make, TensorId a, TensorId b, const Shape& shape) {
  return make.op(Op::concat, {a, b}, shape, {make.parameter<int64_t>(kConcatAxis, DType::i64, {-1})});
}

TensorId sliced(GraphMaker& make, TensorId x, int32_t begin) {
  const std::vector<int32_t> end{1, 3, 2, begin + 2};
  return make.op(Op::strided_slice, {x, make.ints({0, 0, 0, begin}), make.ints(end), make.ints({1, 1, 1, 1})},
                 kHalf);
}

// x * cos + swapped * sin.
TensorId sum_of(GraphMaker& make, TensorId x, TensorId swapped, TensorId cos, TensorId sin) {
  return make.op(Op::add, {make.op(Op::mul, {x, cos}, kShape), make.op(Op::mul, {swapped, sin}, kShape)},
                 kShape);
}

TensorId rotated(GraphMaker& make, TensorId x, TensorId first, TensorId second, TensorId cos, TensorId sin) {
  const TensorId negative = make.op(Op::neg, {second}, kHalf);
  return sum_of(make, x, concat(make, negative, first, kShape), cos, sin);
}

TEST(FindRotaryEmbedding, TakesConstantAnglesOfEqualHalves) {
  GraphMaker make;
  const TensorId x = make.input(kShape);
  const TensorId cos = make.floats({2, 4}, {1, 2, 1, 2, 3, 4, 3, 4}),
                 sin = make.floats({2, 4}, {5, 6, 5, 6, 7, 8, 7, 8});
  const Graph graph = simplified(make, rotated(make, x, sliced(make, x, 0), sliced(make, x, 2), cos, sin));
  ASSERT_EQ(text_of(graph), "ROTARY_EMBEDDING");
  EXPECT_EQ(graph.nodes[0].inputs[0], x);
  EXPECT_FALSE(graph.nodes[0].attrs.flag(Attr::interleaved));
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[1]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[2]), (std::vector<float>{5, 6, 7, 8}));
}

TEST(FindRotaryEmbedding, AcceptsConcatenatedAngles) {
  GraphMaker make;
  const TensorId x = make.input(kShape), cos = make.input({2, 2}), sin = make.input({2, 2});
  const TensorId y = rotated(make, x, sliced(make, x, 0), sliced(make, x, 2), concat(make, cos, cos, {2, 4}),
                             concat(make, sin, sin, {2, 4}));
  const Graph graph = simplified(make, y);
  ASSERT_EQ(text_of(graph), "ROTARY_EMBEDDING");
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<TensorId>{x, cos, sin}));
}

// As in transformers: duplicated angles, then sin and cos, then scaling.
TEST(FindRotaryEmbedding, AcceptsLaterAngles) {
  GraphMaker make;
  const TensorId x = make.input(kShape), angles = make.input({1, 2, 2});
  const TensorId both = concat(make, angles, angles, {1, 2, 4});
  const auto function = [&](Op op) {
    const TensorId scaled =
        make.op(Op::mul, {make.op(op, {both}, {1, 2, 4}), make.floats({1}, {0.5})}, {1, 2, 4});
    return make.op(Op::reshape, {scaled, make.ints({1, 1, 2, 4})}, {1, 1, 2, 4});
  };
  const TensorId y =
      rotated(make, x, sliced(make, x, 0), sliced(make, x, 2), function(Op::cos), function(Op::sin));
  const Graph graph = simplified(make, y);
  EXPECT_EQ(graph.nodes.back().op, Op::rotary_embedding);
  EXPECT_EQ(graph.shapes[graph.nodes.back().inputs[2]], (Shape{1, 1, 2, 2}));
}

TensorId every_second(GraphMaker& make, TensorId x, int32_t begin) {
  return make.op(Op::strided_slice,
                 {x, make.ints({0, 0, 0, begin}), make.ints({1, 3, 2, 4}), make.ints({1, 1, 1, 2})}, kHalf);
}

// Interleaved elements.
TensorId stacked(GraphMaker& make, TensorId a, TensorId b) {
  const auto as_column = [&](TensorId x) {
    return make.op(Op::reshape, {x, make.ints({1, 3, 2, 2, 1})}, {1, 3, 2, 2, 1});
  };
  const TensorId pairs = concat(make, as_column(a), as_column(b), {1, 3, 2, 2, 2});
  return make.op(Op::reshape, {pairs, make.ints({1, 3, 2, 4})}, kShape);
}

TensorId interleaved(GraphMaker& make, TensorId x, TensorId cos, TensorId sin) {
  const TensorId negative = make.op(Op::neg, {every_second(make, x, 1)}, kHalf);
  return sum_of(make, x, stacked(make, negative, every_second(make, x, 0)), cos, sin);
}

TEST(FindRotaryEmbedding, TakesPairsOfNeighbours) {
  GraphMaker make;
  const TensorId x = make.input(kShape);
  const TensorId cos = make.floats({2, 4}, {1, 1, 2, 2, 3, 3, 4, 4}),
                 sin = make.floats({2, 4}, {5, 5, 6, 6, 7, 7, 8, 8});
  const Graph graph = simplified(make, interleaved(make, x, cos, sin));
  ASSERT_EQ(text_of(graph), "ROTARY_EMBEDDING");
  EXPECT_TRUE(graph.nodes[0].attrs.flag(Attr::interleaved));
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[1]), (std::vector<float>{1, 2, 3, 4}));
}

TEST(FindRotaryEmbedding, AcceptsStackedAngles) {
  GraphMaker make;
  const TensorId x = make.input(kShape), cos = make.input(kHalf), sin = make.input(kHalf);
  const Graph graph =
      simplified(make, interleaved(make, x, stacked(make, cos, cos), stacked(make, sin, sin)));
  EXPECT_EQ(graph.nodes.back().op, Op::rotary_embedding);
  EXPECT_EQ(graph.shapes[graph.nodes.back().inputs[1]], kHalf);
  GraphMaker other;
  const TensorId y = other.input(kShape), angles = other.input(kHalf);
  const TensorId mixed = stacked(other, angles, other.input(kHalf));
  EXPECT_EQ(simplified(other, interleaved(other, y, mixed, mixed)).nodes.back().op, Op::add);
}

// Only the first elements of each row are rotated, then joined with the rest.
TEST(FindRotaryEmbedding, AcceptsUnpairedElements) {
  const auto text = [](int32_t rest_from) {
    GraphMaker make;
    const Shape whole{1, 3, 2, 7};
    const TensorId x = make.input(whole);
    const auto part = [&](int32_t begin, int32_t end) {
      const std::vector<TensorId> range{make.ints({0, 0, 0, begin}), make.ints({1, 3, 2, end}),
                                        make.ints({1, 1, 1, 1})};
      return make.op(Op::strided_slice, {x, range[0], range[1], range[2]}, {1, 3, 2, end - begin});
    };
    const TensorId first = part(0, 4);
    const TensorId cos = make.floats({4}, {1, 2, 1, 2}), sin = make.floats({4}, {5, 6, 5, 6});
    const TensorId y = rotated(make, first, sliced(make, first, 0), sliced(make, first, 2), cos, sin);
    return text_of(simplified(make, concat(make, y, part(rest_from, rest_from + 3), whole)));
  };
  EXPECT_EQ(text(4), "ROTARY_EMBEDDING");
  EXPECT_EQ(text(3), "STRIDED_SLICE ROTARY_EMBEDDING STRIDED_SLICE CONCAT");
}

TEST(FindRotaryEmbedding, KeepsSimilarPatterns) {
  const auto nodes = [](const std::vector<float>& cos, int32_t first, bool same) {
    GraphMaker make;
    const TensorId x = make.input(kShape), other = make.input(kShape);
    const TensorId sin = make.floats({2, 4}, {5, 6, 5, 6, 7, 8, 7, 8});
    const TensorId y = rotated(make, x, sliced(make, x, first), sliced(make, same ? x : other, 2),
                               make.floats({2, 4}, cos), sin);
    return simplified(make, y).nodes.size();
  };
  const std::vector<float> cos{1, 2, 1, 2, 3, 4, 3, 4};
  EXPECT_EQ(nodes(cos, 0, true), 1u);
  EXPECT_EQ(nodes({1, 2, 1, 2, 3, 4, 3, 5}, 0, true), 7u);
  EXPECT_EQ(nodes(cos, 1, true), 7u);
  EXPECT_EQ(nodes(cos, 0, false), 7u);
}

}  // namespace
}  // namespace nnrt
