#include "tests/frameworks/tflite/written_graph.h"

#include <algorithm>
#include <cstring>

namespace nnrt::test {

using tflite_plugin::HostGraph;
using tflite_plugin::Section;

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
  auto device = plugins::find_device("cpu");
  EXPECT_TRUE(device.ok());
  return {std::move(planned), std::move(device).value(), {}};
}

std::vector<std::vector<float>> run_floats(tflite_plugin::Partition& partition,
                                           const std::vector<import::Shape>& shapes,
                                           const std::vector<std::vector<float>>& inputs) {
  const auto program = partition.program_for(shapes);
  if (!program.ok()) {
    ADD_FAILURE() << program.error().message;
    return {};
  }
  plugins::Program& it = *program.value();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto tensor = it.input(i, shapes[i]);
    EXPECT_TRUE(tensor.ok());
    std::memcpy(OH_NNTensor_GetDataBuffer(tensor.value()), inputs[i].data(),
                inputs[i].size() * sizeof(float));
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

}  // namespace nnrt::test
