// Work on the operands of matrix products is merged into the products.
#include "tests/support/graph_maker.h"
#include "tests/unit/core/passes/simplify/simplified_graph.h"

namespace nnrt {
namespace {

using test::GraphMaker;
using test::text_of;

constexpr int kBroadcastShape = 87;

TEST(MoveScale, ScalesTheSmallerOperandByBothNumbers) {
  GraphMaker make;
  const TensorId a = make.op(Op::mul, {make.input({1, 4}), make.floats({1}, {0.5f})}, {1, 4});
  const TensorId b = make.op(Op::mul, {make.floats({1}, {0.25f}), make.input({4, 9})}, {4, 9});
  const Graph graph = simplify(*make.finish({make.op(Op::matmul, {a, b}, {1, 9})}));
  ASSERT_EQ(text_of(graph), "MUL MATMUL");
  EXPECT_EQ(graph.nodes[1].inputs[1], graph.inputs[1]);
  const Tensor& scale = graph.tensors[graph.nodes[0].inputs[1]];
  EXPECT_EQ(*reinterpret_cast<const float*>(scale.data->data()), 0.125f);
}

TEST(MoveScale, KeepsSharedAndSmallerOperands) {
  GraphMaker make;
  const TensorId b = make.op(Op::mul, {make.input({4, 9}), make.floats({1}, {0.25f})}, {4, 9});
  const TensorId y = make.op(Op::matmul, {make.input({1, 4}), b}, {1, 9});
  EXPECT_EQ(text_of(simplify(*make.finish({y, make.op(Op::relu, {b}, {4, 9})}))), "MUL MATMUL RELU");
  GraphMaker large;
  const TensorId c = large.op(Op::mul, {large.input({4, 9}), large.floats({1}, {0.25f})}, {4, 9});
  EXPECT_EQ(text_of(simplify(*large.finish({large.op(Op::matmul, {large.input({64, 4}), c}, {64, 9})}))),
            "MUL MATMUL");
}

TEST(FoldTranspose, ReadsTheOperandAsItLies) {
  GraphMaker make;
  const TensorId b = make.input({-1, 9, 4});
  const TensorId transposed = make.op(Op::transpose, {b, make.ints({0, 2, 1})}, {-1, 4, 9});
  const TensorId y = make.op(Op::matmul, {make.input({-1, 2, 4}), transposed}, {-1, 2, 9});
  const Graph graph = simplify(*make.finish({y}));
  ASSERT_EQ(text_of(graph), "MATMUL");
  EXPECT_TRUE(graph.nodes[0].attrs.flag(Attr::transpose_b));
  EXPECT_EQ(graph.nodes[0].inputs[1], b);
}

TEST(FoldTranspose, ReachesBelowAReshapeOfTheBatch) {
  GraphMaker make;
  const TensorId b = make.input({6, 9, 4});
  const TensorId transposed = make.op(Op::transpose, {b, make.ints({0, 2, 1})}, {6, 4, 9});
  const TensorId heads = make.op(Op::reshape, {transposed, make.ints({2, 3, 4, 9})}, {2, 3, 4, 9});
  const TensorId y = make.op(Op::matmul, {make.input({2, 3, 5, 4}), heads}, {2, 3, 5, 9});
  const Graph graph = simplify(*make.finish({y}));
  ASSERT_EQ(text_of(graph), "RESHAPE MATMUL");
  EXPECT_TRUE(graph.nodes[1].attrs.flag(Attr::transpose_b));
  EXPECT_EQ(graph.shapes[graph.nodes[0].outputs[0]], (Shape{2, 3, 9, 4}));
}

TEST(FoldTranspose, KeepsOtherPermutations) {
  GraphMaker make;
  const TensorId transposed =
      make.op(Op::transpose, {make.input({4, 9, 6}), make.ints({2, 0, 1})}, {6, 4, 9});
  const TensorId y = make.op(Op::matmul, {make.input({6, 2, 4}), transposed}, {6, 2, 9});
  EXPECT_EQ(text_of(simplify(*make.finish({y}))), "TRANSPOSE MATMUL");
}

}  // namespace
}  // namespace nnrt
