#include "tools/plugins/tflite/partition_plan.h"

#include "tests/frameworks/tflite/written_graph.h"
#include "tools/plugins/tflite/plan_report.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;
using tflite_plugin::HostGraph;
using tflite_plugin::PlannedPartition;
using tflite_plugin::PlanOptions;

// A chain of operators on vectors of two floats.
struct Chain {
  TfliteWriter writer;
  int32_t last = writer.input(floats({2}, {}));

  Chain& then(BuiltinOperator code) { return then(code, {last}); }
  Chain& then(BuiltinOperator code, std::vector<int32_t> inputs) {
    last = writer.tensor(floats({2}, {}));
    writer.add(code, std::move(inputs), {last});
    return *this;
  }
  format::ModelT& finish() {
    writer.output(last);
    return writer.model();
  }
};

std::vector<PlannedPartition> planned(HostGraph& graph, const format::ModelT& model,
                                      const PlanOptions& options = {}) {
  auto partitions = plan_partitions(graph, preview_of(graph, model), options);
  if (!partitions.ok()) {
    ADD_FAILURE() << partitions.error().message;
    return {};
  }
  return std::move(partitions).value();
}

TEST(TflitePlan, ClaimsImportableOperators) {
  Chain chain;
  const format::ModelT& model = chain.then(ABS).then(NEG).finish();
  HostGraph graph = host_graph_of(model);
  auto partitions = planned(graph, model);
  ASSERT_EQ(partitions.size(), 1u);
  tflite_plugin::Partition partition = partition_on_cpu(std::move(partitions[0]));
  EXPECT_EQ(run_floats(partition, {{2}}, {{-1, 3}}), (std::vector<std::vector<float>>{{-1, -3}}));
}

TEST(TflitePlan, LeavesUnknownOperatorsToTheInterpreter) {
  Chain chain;
  const format::ModelT& model = chain.then(ABS).then(UNIQUE).then(NEG).finish();
  HostGraph graph = host_graph_of(model);
  EXPECT_EQ(planned(graph, model).size(), 2u);
  EXPECT_EQ(plan_report(graph, 2, "CPU"),
            "NNRt runs 2 of 3 nodes in 2 partitions on CPU.\n  UNIQUE (node 101): is not supported\n");
}

TEST(TflitePlan, ExplainsRefusals) {
  Chain chain;
  const format::ModelT& model = chain.then(ABS).then(RNN).then(NEG).finish();
  HostGraph graph = host_graph_of(model);
  EXPECT_EQ(planned(graph, model).size(), 2u);
  EXPECT_EQ(graph.nodes[1].fault, "has 1 inputs.");
}

TEST(TflitePlan, LeavesControlFlowToTheInterpreter) {
  Chain chain;
  const format::ModelT& model = chain.then(ABS).then(WHILE).finish();
  HostGraph graph = host_graph_of(model);
  planned(graph, model);
  EXPECT_EQ(graph.nodes[1].fault, "runs other graphs");
}

TEST(TflitePlan, SkipsDataMovementOnlyPartitions) {
  Chain chain;
  chain.then(ABS).then(UNIQUE);
  const int32_t shape = chain.writer.tensor(constant(ints({1}, {2})));
  const format::ModelT& model = chain.then(RESHAPE, {chain.last, shape}).finish();
  HostGraph graph = host_graph_of(model);
  const auto partitions = planned(graph, model);
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_EQ(partitions[0].section.nodes, std::vector<size_t>{0});
  EXPECT_EQ(graph.nodes[2].fault, "is in a partition that only moves data");
}

TEST(TflitePlan, HasNoPartitionSmallerThanWanted) {
  Chain chain;
  const format::ModelT& model = chain.then(ABS).then(UNIQUE).then(NEG).then(ABS).finish();
  HostGraph graph = host_graph_of(model);
  const auto partitions = planned(graph, model, {nullptr, 2});
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_EQ(partitions[0].section.nodes, (std::vector<size_t>{2, 3}));
}

TEST(TflitePlan, LeavesUnsupportedOperatorsToInterpreter) {
  Chain chain;
  const format::ModelT& model = chain.then(ABS).then(NEG).finish();
  HostGraph graph = host_graph_of(model);
  const PlanOptions options{[](const import::Network& network) -> Result<std::vector<bool>> {
                              std::vector<bool> supported;
                              for (const auto& operation : network.operations)
                                supported.push_back(operation.type != Op::abs);
                              return supported;
                            },
                            1};
  const auto partitions = planned(graph, model, options);
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_EQ(partitions[0].section.nodes, std::vector<size_t>{1});
  EXPECT_EQ(graph.nodes[0].fault, "is not supported by the device");
}

// Weights that a partition needs are converted in it, even if the interpreter sees their operator elsewhere.
TEST(TflitePlan, ConvertsWeightsAtReader) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({2}, {}));
  const int32_t narrow = writer.tensor(constant(Operand{TensorType::FLOAT16, {2}, {0x4000, 0x4200}}));
  const int32_t weights = writer.tensor(floats({2}, {}));
  const int32_t a = writer.tensor(floats({2}, {})), b = writer.tensor(floats({2}, {}));
  const int32_t y = writer.tensor(floats({2}, {}));
  writer.add(DEQUANTIZE, {narrow}, {weights});
  writer.add(ABS, {x}, {a});
  writer.add(UNIQUE, {a}, {b});
  writer.add(MUL, {b, weights}, {y});
  writer.output(y);
  HostGraph graph = host_graph_of(writer.model());
  auto partitions = planned(graph, writer.model());
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_EQ(graph.nodes[0].fault, "only converts weights of other partitions");
  tflite_plugin::Partition partition = partition_on_cpu(std::move(partitions[1]));
  EXPECT_EQ(partition.inputs(), std::vector<int32_t>{b});
  EXPECT_EQ(run_floats(partition, {{2}}, {{5, 7}}), (std::vector<std::vector<float>>{{10, 21}}));
}

TEST(TflitePlan, DoesNotExchangeComplexNumbers) {
  TfliteWriter writer;
  const int32_t x = writer.input({TensorType::COMPLEX64, {2}, {}});
  const int32_t y = writer.tensor(floats({2}, {})), z = writer.tensor(floats({2}, {}));
  writer.add(REAL, {x}, {y});
  writer.add(NEG, {y}, {z});
  writer.output(z);
  HostGraph graph = host_graph_of(writer.model());
  const auto partitions = planned(graph, writer.model());
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_EQ(partitions[0].section.nodes, std::vector<size_t>{1});
  EXPECT_EQ(graph.nodes[0].fault, "exchanges complex numbers with the interpreter");
}

TEST(TflitePartition, CompilesForOtherShapes) {
  Chain chain;
  const format::ModelT& model = chain.then(ABS).then(NEG).finish();
  HostGraph graph = host_graph_of(model);
  auto partitions = planned(graph, model);
  ASSERT_EQ(partitions.size(), 1u);
  tflite_plugin::Partition partition = partition_on_cpu(std::move(partitions[0]));
  EXPECT_EQ(run_floats(partition, {{3}}, {{-1, 3, 5}}), (std::vector<std::vector<float>>{{-1, -3, -5}}));
  EXPECT_EQ(run_floats(partition, {{2, 2}}, {{-1, 3, 5, 0}}),
            (std::vector<std::vector<float>>{{-1, -3, -5, -0.f}}));
  EXPECT_EQ(run_floats(partition, {{3}}, {{1, 2, 3}}), (std::vector<std::vector<float>>{{-1, -2, -3}}));
}

// Two operators over one state would overwrite each other's.
TEST(TflitePartition, SharesNoState) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({1, 1}, {}));
  const std::vector<int32_t> first{
      x, writer.tensor(constant(floats({1, 1}, {0.5f}))), writer.tensor(constant(floats({1, 1}, {-0.25f}))),
      writer.tensor(constant(floats({1}, {0.1f}))), writer.tensor(floats({1, 1}, {}))};
  writer.graph().tensors[size_t(first.back())]->is_variable = true;
  std::vector<int32_t> second = first;
  second[0] = writer.tensor(floats({1, 1}, {}));
  const int32_t y = writer.tensor(floats({1, 1}, {}));
  format::RNNOptionsT options;
  options.activation = format::Activation::TANH;
  writer.add(RNN, first, {second[0]}, with(options));
  writer.add(RNN, second, {y}, with(options));
  writer.output(y);
  tflite_plugin::HostGraph graph = host_graph_of(writer.model());
  EXPECT_TRUE(plan_partitions(graph, preview_of(graph, writer.model()), {}).ok());
  EXPECT_EQ(graph.nodes[0].fault, "");
  EXPECT_EQ(graph.nodes[1].fault, "shares its state with another operator.");
}

}  // namespace
}  // namespace nnrt::test
