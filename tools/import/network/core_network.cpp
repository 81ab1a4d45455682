#include "tools/import/network/core_network.h"

#include "core/base/text.h"
#include "core/schema/graph_builder.h"
#include "core/schema/schema.h"
#include "core/writer/settings.h"
#include "tools/import/network/network_check.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nnrt::import {
namespace {

Operation operation_of(const nnrt::Node& node) {
  Operation operation{.type = node.op, .inputs = node.inputs, .outputs = node.outputs, .origin = {}};
  for (const auto& [attr, value] : node.attrs.all())
    if (value.given) operation.attributes.set(attr, value);
  return operation;
}

Result<Tensor> tensor_of(const nnrt::Graph& graph, TensorId id) {
  nnrt::Tensor tensor = graph.tensors[id];
  if (!tensor.data) tensor.shape = graph.shapes[id];
  for (const int64_t dimension : tensor.shape)
    if (dimension > std::numeric_limits<int32_t>::max())
      return unsupported("A dimension of tensor ", tensor.name, " (", dimension, ") is above 2147483647.");
  return from_core(std::move(tensor));
}

}  // namespace

nnrt::Tensor to_core(const Tensor& tensor) {
  nnrt::Tensor made;
  made.name = tensor.name;
  made.dtype = static_cast<DType>(tensor.type);
  made.format = static_cast<Format>(tensor.format);
  made.shape.assign(tensor.shape.begin(), tensor.shape.end());
  made.quant = {tensor.quantization.scales, tensor.quantization.zero_points};
  if (tensor.data) made.data = tensor.data;
  return made;
}

Tensor from_core(nnrt::Tensor tensor) {
  return {std::move(tensor.name),
          static_cast<OH_NN_DataType>(tensor.dtype),
          static_cast<OH_NN_Format>(tensor.format),
          Shape(tensor.shape.begin(), tensor.shape.end()),
          {std::move(tensor.quant.scales), std::move(tensor.quant.zero_points)},
          std::move(tensor.data)};
}

Result<Network> to_network(const nnrt::Graph& graph) {
  Network network;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    NNRT_ASSIGN(Tensor tensor, tensor_of(graph, id));
    network.tensors.push_back(std::move(tensor));
  }
  for (const nnrt::Node& node : graph.nodes) network.operations.push_back(operation_of(node));
  network.inputs = graph.inputs;
  network.outputs = graph.outputs;
  return network;
}

Result<GraphPtr> to_graph(const Network& network) {
  NNRT_TRY(check(network));
  nnrt::GraphBuilder builder;
  for (const Tensor& tensor : network.tensors) {
    Status status = builder.add_tensor(to_core(tensor));
    if (!status.ok()) return of_file(std::move(status).error().during("adding tensor " + tensor.name));
  }
  for (const Operation& operation : network.operations) {
    Status status = builder.add_node({operation.type,
                                      operation.inputs,
                                      operation.outputs,
                                      with_defaults(operation.type, operation.attributes),
                                      0,
                                      {}});
    if (!status.ok()) return of_file(std::move(status).error().during("adding " + operation.origin));
  }
  Status status = builder.specify(network.inputs, network.outputs);
  if (status.ok()) status = builder.finish();
  if (!status.ok()) return of_file(std::move(status).error());
  return builder.graph();
}

bool has_unknown_channels(const nnrt::Graph& graph, const nnrt::Node& node) {
  const std::span<const InputRow> rows = schema(node.op).inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (graph.tensors[node.inputs[i]].quant.scales.size() > 1 && node.op != Op::quant_dtype_cast &&
        !rows[std::min(i, rows.size() - 1)].per_channel)
      return true;
  return false;
}

Channels channels_of(const nnrt::Graph& graph, const nnrt::Node& node) {
  const Format format = graph.format_of(node);
  const bool is_first = node.op == Op::instance_norm ? format != Format::nhwc : format == Format::nchw;
  const bool is_operand = node.op == Op::bias_add && graph.shapes[node.inputs[1]].size() > 1;
  if (!schema(node.op).layout_dependent || is_operand || graph.shapes[node.inputs[0]].size() < 3)
    return Channels::none;
  return is_first ? Channels::first : Channels::last;
}

std::vector<int64_t> to_channels_first(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), int64_t{0});
  if (rank > 2) std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return order;
}

std::vector<int64_t> to_channels_last(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), int64_t{0});
  if (rank > 2) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

Status write_nodes(const Network& network, const nnrt::Graph& graph, std::string_view file,
                   const std::function<Status(const nnrt::Node&)>& write) {
  std::string refused;
  for (const nnrt::Node& node : graph.nodes) {
    if (node.diagnosis) return of_file(*node.diagnosis);
    const Status status = write(node);
    if (status.ok()) continue;
    const std::string& origin = network.operations[node.position].origin;
    refused +=
        cat(" ", origin.empty() ? std::string(short_name(node.op)) : origin, ": ", status.error().message);
  }
  if (refused.empty()) return {};
  return unsupported("The model has operators that ", file, " cannot express:", refused);
}

}  // namespace nnrt::import
