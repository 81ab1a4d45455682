#include "core/passes/inferred_ranks.h"

#include "core/schema/infer.h"
#include "tests/support/graph_maker.h"

namespace nnrt {
namespace {

using test::GraphMaker;

// The ranks read and written by each node: "RELU 1 1".
std::string text_of(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    text += text.empty() ? "" : ", ";
    text += name(node.op).substr(std::string_view("OH_NN_OPS_").size());
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (const TensorId id : *ids) text += " " + std::to_string(graph.shapes[id].size());
    }
  }
  return text;
}

TEST(InferredRanks, ComeFromWriters) {
  GraphMaker maker;
  const TensorId y = maker.op(Op::add, {maker.input({1}), maker.floats({1}, {1})}, {});
  const Graph graph = with_inferred_ranks(*maker.finish({y}));
  EXPECT_EQ(text_of(graph), "ADD 1 1 1, SQUEEZE 1 0");
  EXPECT_EQ(graph.outputs, std::vector<TensorId>{y});
  EXPECT_EQ(graph.nodes[1].outputs, std::vector<TensorId>{y});
}

TEST(InferredRanks, OfAScalarDeclaredAsOneElement) {
  GraphMaker maker;
  const TensorId x = maker.input({3});
  const TensorId y = maker.op(Op::reduce_sum, {x, maker.ints({0})}, {1});
  EXPECT_EQ(text_of(with_inferred_ranks(*maker.finish({y}))), "REDUCE_SUM 1 1 0, UNSQUEEZE 0 1");
}

// Readers see the declared rank (R6).
TEST(InferredRanks, KeepDeclaredRanksForReaders) {
  GraphMaker maker;
  const TensorId x = maker.input({1});
  const TensorId r = maker.op(Op::relu, {x}, {});
  const TensorId y = maker.op(Op::exp, {r}, {});
  EXPECT_EQ(text_of(with_inferred_ranks(*maker.finish({y}))), "RELU 1 1, SQUEEZE 1 0, EXP 0 0");
}

TEST(InferredRanks, OfOneOutputAmongSeveral) {
  GraphMaker maker;
  const TensorId x = maker.input({2}), a = maker.tensor({1}), b = maker.tensor({});
  const TensorId number = maker.parameter<int64_t>(50, DType::i64, {2});  // OH_NN_SPLIT_OUTPUT_NUM
  ASSERT_TRUE(maker.builder()
                  .add_operation(int(Op::split), std::vector{number}, std::vector{x}, std::vector{a, b})
                  .ok());
  const Graph graph = with_inferred_ranks(*maker.finish({a, b}));
  EXPECT_EQ(text_of(graph), "SPLIT 1 1 1, SQUEEZE 1 0");
  EXPECT_EQ(graph.nodes[0].outputs[0], a);
}

TEST(InferredRanks, OfDynamicDimension) {
  GraphMaker maker;
  const TensorId x = maker.input({-1});
  const Graph graph = with_inferred_ranks(*maker.finish({maker.op(Op::relu, {x}, {})}));
  ASSERT_EQ(text_of(graph), "RELU 1 1, SQUEEZE 1 0");
  EXPECT_TRUE(infer_run(graph, std::vector<Shape>{{1}}).ok());
  EXPECT_FALSE(infer_run(graph, std::vector<Shape>{{2}}).ok());
}

TEST(InferredRanks, LeaveAllElseAsItIs) {
  GraphMaker maker;
  const TensorId x = maker.input({1}), z = maker.input({});
  const TensorId y = maker.op(Op::add, {maker.op(Op::relu, {x}, {1}), z}, {1});
  const GraphPtr graph = maker.finish({maker.op(Op::exp, {y}, {1})});
  EXPECT_EQ(with_inferred_ranks(*graph).tensors.size(), graph->tensors.size());
  EXPECT_EQ(text_of(with_inferred_ranks(*graph)), text_of(*graph));
}

TEST(InferredRanks, KeepKnownRanks) {
  GraphMaker maker;
  const TensorId y = maker.op(Op::relu, {maker.input({1})}, {});
  const Graph once = with_inferred_ranks(*maker.finish({y}));
  EXPECT_EQ(text_of(with_inferred_ranks(once)), text_of(once));
}

}  // namespace
}  // namespace nnrt
