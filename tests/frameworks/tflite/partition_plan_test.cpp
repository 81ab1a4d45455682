#include "tools/plugins/tflite/partition_plan.h"

#include "tests/import/tflite_writer.h"
#include "tools/plugins/tflite/compiled_partition.h"
#include "tools/plugins/tflite/plan_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace nnrt::test {
namespace {

using tflite_plugin::HostGraph;
using tflite_plugin::Section;

// Operators and tensors of the model's first graph; constants are lent by the model.
HostGraph host_graph_of(const format::ModelT& model) {
  const format::SubGraphT& from = *model.subgraphs[0];
  HostGraph graph;
  for (const auto& table : from.tensors) {
    graph.tensors.emplace_back();
    graph.tensors.back().table = *table;
    graph.tensors.back().table.buffer = 0;
    const std::vector<uint8_t>& data = model.buffers[table->buffer]->data;
    if (!data.empty())
      graph.tensors.back().data = {std::shared_ptr<const void>(std::shared_ptr<const void>(), data.data()),
                                   std::as_bytes(std::span(data))};
  }
  for (const auto& table : from.operators) {
    const format::OperatorCodeT& code = *model.operator_numbers[table->opcode_index];
    const auto number = static_cast<int32_t>(100 + graph.nodes.size());
    graph.nodes.push_back({number, BuiltinOperator(code.builtin_code), code.custom_code, *table, ""});
  }
  return graph;
}

// Collects nodes that follow each other, as an interpreter without branches does.
tflite_plugin::Preview preview_of(const HostGraph& graph, const format::ModelT& model) {
  return [&](const std::vector<size_t>& nodes) -> Result<std::vector<Section>> {
    std::vector<Section> sections;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (i == 0 || nodes[i] != nodes[i - 1] + 1) sections.emplace_back();
      sections.back().nodes.push_back(nodes[i]);
    }
    for (Section& section : sections) {
      section.inputs = section_of(graph, section.nodes).inputs;
      const auto is_inside = [&](size_t node) {
        return std::ranges::find(section.nodes, node) != section.nodes.end();
      };
      std::vector<int32_t> needed = model.subgraphs[0]->outputs;
      for (size_t node = 0; node < graph.nodes.size(); ++node)
        if (!is_inside(node))
          needed.insert(needed.end(), graph.nodes[node].table.inputs.begin(),
                        graph.nodes[node].table.inputs.end());
      for (const size_t node : section.nodes)
        for (const int32_t id : graph.nodes[node].table.outputs)
          if (std::ranges::find(needed, id) != needed.end()) section.outputs.push_back(id);
    }
    return sections;
  };
}

tflite_plugin::Partition partition_on_cpu(tflite_plugin::PlannedPartition planned) {
  auto device = plugins::find_device("cpu").value();
  return {std::move(planned), std::move(device), {}};
}

// Runs one partition on the CPU: values of its inputs to values of its outputs, all FLOAT32.
std::vector<std::vector<float>> run_floats(tflite_plugin::Partition& partition,
                                           const std::vector<import::Shape>& shapes,
                                           const std::vector<std::vector<float>>& inputs) {
  const auto program = partition.program_for(shapes).value();
  plugins::Program& it = *program;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto tensor = it.input(i, shapes[i]).value();
    std::memcpy(OH_NNTensor_GetDataBuffer(tensor), inputs[i].data(), inputs[i].size() * sizeof(float));
  }
  const Status status = it.run();
  EXPECT_TRUE(status.ok()) << status.error().message;
  std::vector<std::vector<float>> results;
  for (size_t i = 0; i < it.outputs().size(); ++i) {
    NN_Tensor* const tensor = it.output(i).value();
    size_t bytes = 0;
    EXPECT_EQ(OH_NNTensorDesc_GetByteSize(OH_NNTensor_GetTensorDesc(tensor), &bytes), OH_NN_SUCCESS);
    const auto* data = static_cast<const float*>(OH_NNTensor_GetDataBuffer(tensor));
    results.emplace_back(data, data + bytes / sizeof(float));
  }
  return results;
}

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
  EXPECT_EQ(graph.nodes[1].fault, "has 1 input.");
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
