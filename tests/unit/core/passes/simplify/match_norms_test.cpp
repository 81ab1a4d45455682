// Recognizes normalizations written out as arithmetic.
#include "tests/unit/core/passes/simplify/simplified_graph.h"

namespace nnrt {
namespace {

using test::floats_of;
using test::GraphMaker;
using test::simplified;
using test::text_of;

constexpr int kMeanKeepDims = 60;

Shape line_of(Shape shape) {
  shape.back() = 1;
  return shape;
}

TensorId mean_of(GraphMaker& make, TensorId x, const Shape& shape, int32_t axis = -1) {
  const TensorId keep = make.parameter<uint8_t>(kMeanKeepDims, DType::boolean, {1});
  return make.op(Op::reduce_mean, {x, make.ints({axis})}, line_of(shape), {keep});
}

TensorId plus_epsilon(GraphMaker& make, TensorId x, const Shape& shape, float epsilon) {
  return make.op(Op::add, {x, make.floats({1}, {epsilon})}, line_of(shape));
}

// As written by PyTorch's exporter, without its beta.
TensorId layer_norm(GraphMaker& make, TensorId x, const Shape& shape, float exponent, int32_t axis) {
  const TensorId centered = make.op(Op::sub, {x, mean_of(make, x, shape, axis)}, shape);
  const TensorId squares = make.op(Op::pow, {centered, make.floats({1}, {exponent})}, shape);
  const TensorId variance = plus_epsilon(make, mean_of(make, squares, shape, axis), shape, 1e-5f);
  const TensorId y = make.op(Op::div, {centered, make.op(Op::sqrt, {variance}, line_of(shape))}, shape);
  return make.op(Op::mul, {y, make.floats({3}, {1, 2, 3})}, shape);
}

TensorId with_beta(GraphMaker& make, TensorId y, const Shape& shape) {
  return make.op(Op::add, {y, make.floats({3}, {4, 5, 6})}, shape);
}

TEST(FindLayerNorm, TakesGammaAndBeta) {
  GraphMaker make;
  const Shape shape{-1, 5, 3};
  const TensorId x = make.input(shape);
  const Graph graph = simplified(make, with_beta(make, layer_norm(make, x, shape, 2, -1), shape));
  ASSERT_EQ(text_of(graph), "LAYER_NORM");
  EXPECT_EQ(graph.nodes[0].inputs[0], x);
  EXPECT_EQ(graph.nodes[0].attrs.integer(Attr::begin_norm_axis), 2);
  EXPECT_FLOAT_EQ(float(graph.nodes[0].attrs.real(Attr::epsilon)), 1e-5f);
  EXPECT_EQ(graph.nodes[0].fused_positions.size(), 8u) << "all operations but the one at its position";
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[1]), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[2]), (std::vector<float>{4, 5, 6}));
}

TEST(FindLayerNorm, NeedsNoBeta) {
  GraphMaker make;
  const Shape shape{2, 3};
  const Graph graph = simplified(make, layer_norm(make, make.input(shape), shape, 2, 1));
  ASSERT_EQ(text_of(graph), "LAYER_NORM");
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[2]), (std::vector<float>{0, 0, 0}));
}

TEST(FindLayerNorm, KeepsSimilarPatterns) {
  GraphMaker make;
  const Shape shape{2, 5, 3};
  const TensorId y = with_beta(make, layer_norm(make, make.input(shape), shape, 4, -1), shape);
  EXPECT_EQ(simplified(make, y).nodes.size(), 9u);
}

// Adding something of another shape is not a beta.
TEST(FindLayerNorm, LeavesOtherSums) {
  GraphMaker make;
  const Shape shape{2, 3};
  const TensorId x = make.input(shape);
  const TensorId y = make.op(Op::add, {layer_norm(make, x, shape, 2, -1), x}, shape);
  EXPECT_EQ(text_of(simplified(make, y)), "LAYER_NORM ADD");
}

using Factor = TensorId (*)(GraphMaker&, TensorId mean, const Shape& line);

// x * factor(mean square + epsilon) * gamma.
TensorId rms_norm(GraphMaker& make, TensorId x, TensorId squares, const Shape& shape, Factor factor) {
  const TensorId sum = plus_epsilon(make, mean_of(make, squares, shape), shape, 1e-6f);
  const TensorId y = make.op(Op::mul, {factor(make, sum, line_of(shape)), x}, shape);
  return make.op(Op::mul, {make.floats({3}, {1, 2, 3}), y}, shape);
}

TEST(FindRmsNorm, TakesTheReciprocalRootInEveryForm) {
  const Factor factors[] = {
      [](GraphMaker& make, TensorId sum, const Shape& line) { return make.op(Op::rsqrt, {sum}, line); },
      [](GraphMaker& make, TensorId sum, const Shape& line) {
        return make.op(Op::reciprocal, {make.op(Op::sqrt, {sum}, line)}, line);
      },
      [](GraphMaker& make, TensorId sum, const Shape& line) {
        return make.op(Op::div, {make.floats({1}, {1}), make.op(Op::sqrt, {sum}, line)}, line);
      },
      [](GraphMaker& make, TensorId sum, const Shape& line) {
        return make.op(Op::pow, {sum, make.floats({1}, {-0.5f})}, line);
      },
  };
  for (const Factor factor : factors) {
    GraphMaker make;
    const Shape shape{-1, 5, 3};
    const TensorId x = make.input(shape);
    const TensorId squares = make.op(Op::pow, {x, make.floats({1}, {2})}, shape);
    const Graph graph = simplified(make, rms_norm(make, x, squares, shape, factor));
    ASSERT_EQ(text_of(graph), "RMS_NORM");
    EXPECT_EQ(graph.nodes[0].inputs[0], x);
    EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[1]), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(graph.nodes[0].attrs.integer(Attr::begin_norm_axis), 2);
    EXPECT_FLOAT_EQ(float(graph.nodes[0].attrs.real(Attr::epsilon)), 1e-6f);
  }
}

TEST(FindRmsNorm, TakesADivision) {
  GraphMaker make;
  const Shape shape{4, 3};
  const TensorId x = make.input(shape), squares = make.op(Op::mul, {x, x}, shape);
  const TensorId sum = plus_epsilon(make, mean_of(make, squares, shape), shape, 1e-6f);
  const TensorId y = make.op(Op::div, {x, make.op(Op::sqrt, {sum}, line_of(shape))}, shape);
  EXPECT_EQ(text_of(simplified(make, make.op(Op::mul, {y, make.input({3})}, shape))), "RMS_NORM");
}

TEST(FindRmsNorm, KeepsSimilarPatterns) {
  const Factor rsqrt = [](GraphMaker& make, TensorId sum, const Shape& line) {
    return make.op(Op::rsqrt, {sum}, line);
  };
  const Shape shape{4, 3};
  GraphMaker other;
  const TensorId x = other.input(shape), y = other.input(shape);
  const TensorId squares = other.op(Op::mul, {y, y}, shape);
  EXPECT_EQ(simplified(other, rms_norm(other, x, squares, shape, rsqrt)).nodes.size(), 6u);
  GraphMaker cubes;
  const TensorId z = cubes.input(shape), cubed = cubes.op(Op::pow, {z, cubes.floats({1}, {3})}, shape);
  EXPECT_EQ(simplified(cubes, rms_norm(cubes, z, cubed, shape, rsqrt)).nodes.size(), 6u);
}

}  // namespace
}  // namespace nnrt
