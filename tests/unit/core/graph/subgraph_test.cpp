#include "core/graph/subgraph.h"

#include "tests/support/graph_maker.h"

#include <numeric>

namespace nnrt {
namespace {

using test::GraphMaker;

// x -> RELU -> a -> ADD k -> b -> RELU -> c; a is also an output.
GraphPtr small() {
  GraphMaker maker;
  const TensorId x = maker.input({2});
  const TensorId a = maker.op(Op::relu, {x}, {2});
  const TensorId b = maker.op(Op::add, {a, maker.floats({1}, {1})}, {2});
  const TensorId c = maker.op(Op::relu, {b}, {2});
  return maker.finish({c, a});
}

TEST(Subgraph, HasInputsAndOutputsAtItsBorder) {
  const GraphPtr graph = small();
  const Subgraph part = Subgraphs(*graph).cut(std::vector<NodeId>{0, 1});
  EXPECT_EQ(part.inputs, std::vector<TensorId>{graph->inputs[0]});
  EXPECT_EQ(part.outputs, (std::vector<TensorId>{graph->nodes[0].outputs[0], graph->nodes[1].outputs[0]}));
}

TEST(Subgraph, HoldsItsOwnTensorsAlone) {
  const GraphPtr graph = small();
  Subgraphs subgraphs(*graph);
  for (int again = 0; again < 2; ++again) {
    const Subgraph part = subgraphs.cut(std::vector<NodeId>{2});
    ASSERT_EQ(part.graph->tensors.size(), 2u);
    ASSERT_EQ(part.graph->shapes.size(), 2u);
    EXPECT_EQ(part.graph->inputs, std::vector<TensorId>{0});
    EXPECT_EQ(part.graph->outputs, std::vector<TensorId>{1});
    EXPECT_EQ(part.graph->nodes[0].inputs, std::vector<TensorId>{0});
    EXPECT_EQ(part.graph->tensors[0].name, graph->tensors[part.inputs[0]].name);
    EXPECT_EQ(part.graph->tensors[1].name, graph->tensors[part.outputs[0]].name);
  }
}

TEST(Subgraph, OfAWholeGraphIsTheGraph) {
  const GraphPtr graph = small();
  std::vector<NodeId> all(graph->nodes.size());
  std::iota(all.begin(), all.end(), NodeId{0});
  const Subgraph part = Subgraphs(*graph).cut(all);
  ASSERT_EQ(part.graph->tensors.size(), graph->tensors.size());
  for (size_t node = 0; node < all.size(); ++node) {
    EXPECT_EQ(part.graph->nodes[node].inputs, graph->nodes[node].inputs);
    EXPECT_EQ(part.graph->nodes[node].outputs, graph->nodes[node].outputs);
  }
}

}  // namespace
}  // namespace nnrt
