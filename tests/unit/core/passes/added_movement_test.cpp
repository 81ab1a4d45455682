#include "core/passes/added_movement.h"

#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

TEST(AddedMovement, BearsThePositionOfAComputedOperation) {
  test::GraphMaker make;
  const TensorId x = make.op(Op::relu, {make.input({2, 3})}, {2, 3});
  Graph graph = *make.finish({make.op(Op::transpose, {x, make.ints({1, 0})}, {3, 2})});
  const Node& relu = graph.nodes[0];
  Node& transpose = graph.nodes[1];
  EXPECT_FALSE(AddedMovement(graph).has(transpose)) << "The client's.";
  transpose.position = relu.position;
  EXPECT_TRUE(AddedMovement(graph).has(transpose));
  EXPECT_FALSE(AddedMovement(graph).has(relu));
}

TEST(AddedMovement, BearsThePositionOfAFusedOperation) {
  test::GraphMaker make;
  const TensorId x = make.op(Op::relu, {make.input({2, 3})}, {2, 3});
  Graph graph = *make.finish({make.op(Op::transpose, {x, make.ints({1, 0})}, {3, 2})});
  graph.nodes[0].fused_positions = {7};
  graph.nodes[1].position = 7;
  EXPECT_TRUE(AddedMovement(graph).has(graph.nodes[1]));
}

}  // namespace
}  // namespace nnrt
