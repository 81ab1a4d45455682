#include "tools/import/mindspore/writer/ms_writer.h"

#include "core/base/text.h"
#include "core/passes/normalize.h"
#include "core/schema/graph_builder.h"
#include "tools/import/mindspore/writer/ms_nodes.h"
#include "tools/import/mindspore/writer/ms_serializer.h"
#include "tools/import/network/core_tensor.h"
#include "tools/import/network/network_check.h"

namespace nnrt::import {
namespace {

using namespace mindspore;

Status add_operation(nnrt::GraphBuilder& builder, const Operation& operation) {
  std::vector<uint32_t> parameters;
  for (const Parameter& parameter : operation.parameters) {
    parameters.push_back(static_cast<uint32_t>(builder.tensor_count()));
    NNRT_TRY(builder.add_tensor(to_core(parameter)));
  }
  return builder.add_operation(operation.type, parameters, operation.inputs, operation.outputs);
}

Result<GraphPtr> graph_of(const Network& network) {
  nnrt::GraphBuilder builder;
  for (const Tensor& tensor : network.tensors) {
    Status status = builder.add_tensor(to_core(tensor));
    if (!status.ok()) return of_file(std::move(status).error().during("adding tensor " + tensor.name));
  }
  for (const Operation& operation : network.operations) {
    Status status = add_operation(builder, operation);
    if (!status.ok()) return of_file(std::move(status).error().during("adding " + operation.origin));
  }
  Status status = builder.specify(network.inputs, network.outputs);
  if (status.ok()) status = builder.finish();
  if (!status.ok()) return of_file(std::move(status).error());
  return builder.graph();
}

// Nodes of the normalized graph have the positions of their operations.
Result<SourceGraph> file_graph(const Network& network, const nnrt::Graph& graph) {
  SourceGraph file;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) file.tensors.push_back(source_tensor(graph, id));
  file.inputs.assign(graph.inputs.begin(), graph.inputs.end());
  file.outputs.assign(graph.outputs.begin(), graph.outputs.end());
  std::vector<std::string> refused;
  for (const nnrt::Node& node : graph.nodes) {
    if (node.diagnosis) return of_file(*node.diagnosis);
    const Status status = write_node(graph, node, file);
    if (status.ok()) continue;
    const std::string& origin = network.operations[node.position].origin;
    refused.push_back(
        cat(origin.empty() ? std::string(short_name(node.op)) : origin, ": ", status.error().message));
  }
  if (refused.empty()) return file;
  std::string list;
  for (const std::string& it : refused) list += " " + it;
  return unsupported("The model has operators that an .ms file cannot express:", list);
}

// Drops tensors that nothing uses, such as parameters.
void drop_unused_tensors(SourceGraph& file) {
  std::vector<bool> is_used(file.tensors.size());
  const auto mark = [&](const std::vector<uint32_t>& ids) {
    for (const uint32_t id : ids) is_used[id] = true;
  };
  mark(file.inputs);
  mark(file.outputs);
  for (const SourceNode& node : file.nodes) {
    mark(node.inputs);
    mark(node.outputs);
  }
  std::vector<uint32_t> renumbered(file.tensors.size());
  std::vector<SourceTensor> kept;
  for (size_t id = 0; id < is_used.size(); ++id) {
    if (!is_used[id]) continue;
    renumbered[id] = static_cast<uint32_t>(kept.size());
    kept.push_back(std::move(file.tensors[id]));
  }
  file.tensors = std::move(kept);
  const auto renumber = [&](std::vector<uint32_t>& ids) {
    for (uint32_t& id : ids) id = renumbered[id];
  };
  renumber(file.inputs);
  renumber(file.outputs);
  for (SourceNode& node : file.nodes) {
    renumber(node.inputs);
    renumber(node.outputs);
  }
}

}  // namespace

Result<Bytes> write_mindspore(const Network& network) {
  NNRT_TRY(check(network));
  NNRT_ASSIGN(const GraphPtr graph, graph_of(network));
  const GraphPtr normalized = normalize(graph);
  NNRT_ASSIGN(SourceGraph file, file_graph(network, *normalized));
  drop_unused_tensors(file);
  return serialize(file);
}

}  // namespace nnrt::import
