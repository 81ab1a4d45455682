#include "backends/plugin/hdi_to_graph.h"

#include "backends/plugin/attr_bytes.h"
#include "backends/plugin/buffer_contents.h"
#include "backends/plugin/hdi_enums.h"
#include "backends/plugin/node_table.h"
#include "core/base/text.h"
#include "core/schema/graph_builder.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt::plugin {
namespace {

Result<Quant> quant_of(const hdi::Tensor& tensor) {
  Quant quant;
  for (const hdi::QuantParam& param : tensor.quantParams) {
    if (param.numBits != 8)
      return unsupported("Quantization to ", param.numBits, " bits of ", tensor.name, " is not supported.");
    quant.scales.push_back(param.scale);
    quant.zero_points.push_back(param.zeroPoint);
  }
  return quant;
}

Status add_tensor(const hdi::Tensor& tensor, GraphBuilder& builder) {
  nnrt::Tensor made;
  made.name = tensor.name;
  made.dtype = from_hdi(tensor.dataType);
  made.format = from_hdi(tensor.format);
  made.shape = {tensor.dims.begin(), tensor.dims.end()};
  if (tensor.data.fd >= 0 && byte_size(made.dtype, made.shape) != tensor.data.dataSize)
    return invalid("Tensor ", builder.tensor_count(), " cannot have ", tensor.data.dataSize,
                   " bytes of data.");
  const auto index = static_cast<uint32_t>(builder.tensor_count());
  NNRT_TRY(builder.add_tensor(std::move(made)));
  NNRT_ASSIGN(Quant quant, quant_of(tensor));
  NNRT_TRY(builder.set_quant(index, std::move(quant)));
  if (tensor.data.fd < 0) return {};
  NNRT_ASSIGN(SharedBytes data, contents_of(tensor.data));
  return builder.lend_data(index, std::move(data));
}

Status check_indices(const hdi::Model& model, const std::vector<uint32_t>& indices) {
  for (const uint32_t index : indices)
    if (index >= model.allTensors.size()) return invalid("Tensor (", index, ") does not exist.");
  return {};
}

// The one subgraph has all nodes, if it is there.
Status check_subgraph(const hdi::Model& model) {
  if (model.subGraph.size() > 1)
    return unsupported("Models with ", model.subGraph.size(), " subgraphs are not supported.");
  if (model.subGraph.empty()) return {};
  std::vector<uint32_t> nodes = model.subGraph.front().nodeIndices;
  std::ranges::sort(nodes);
  for (uint32_t i = 0; i < std::max(nodes.size(), model.nodes.size()); ++i) {
    if (i >= nodes.size() || nodes[i] != i)
      return invalid("The subgraph does not consist of the model's ", model.nodes.size(), " nodes.");
  }
  return {};
}

Status read_attr_bytes(hdi::Node& node) {
  const auto row = std::ranges::find(all_rows(), node.nodeType, &NodeRow::type);
  if (row == all_rows().end()) return {};  // find_row() refuses it
  const auto bytes = std::as_bytes(std::span(node.nodeAttr));
  // V2_0's structure for this node is shorter.
  const bool is_v2_0 =
      std::holds_alternative<hdi::QuantDTypeCastV2>(row->attr) && bytes.size() == sizeof(hdi::QuantDTypeCast);
  NNRT_ASSIGN(node.attr, read_attr(is_v2_0 ? hdi::QuantDTypeCast{} : row->attr, bytes));
  return {};
}

Status add_node(const hdi::Model& model, hdi::Node node, GraphBuilder& builder) {
  if (std::holds_alternative<std::monostate>(node.attr)) NNRT_TRY(read_attr_bytes(node));
  const NodeRow* row = find_row(model, node);
  if (row == nullptr)
    return unsupported("No operator has node type ", uint32_t(node.nodeType), " with such attributes.");
  Attrs attrs = attrs_of(*row, node.attr);
  if (row->settle != nullptr) NNRT_TRY(row->settle(model, node, attrs));
  return builder.add_node({row->op, node.inputIndex, node.outputIndex, std::move(attrs), 0, std::nullopt});
}

// A graph without some of the model's nodes reads what these would write, and returns what they read.
void cut_off(const hdi::Model& model, const ModelGraph& made, std::vector<uint32_t>& inputs,
             std::vector<uint32_t>& outputs) {
  enum class Use : uint8_t { none, read, written, returned };
  std::vector<Use> uses(model.allTensors.size(), Use::none);
  for (const uint32_t id : inputs) uses[id] = Use::read;
  for (const uint32_t node : made.nodes)
    for (const uint32_t id : model.nodes[node].outputIndex) uses[id] = Use::written;
  std::erase_if(outputs, [&](uint32_t id) { return uses[id] != Use::written; });
  for (const uint32_t id : outputs) uses[id] = Use::returned;
  const auto change = [&](uint32_t id, Use from, Use to, std::vector<uint32_t>& list) {
    if (uses[id] != from) return;
    uses[id] = to;
    list.push_back(id);
  };
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    if (!made.refusals[i]) continue;
    for (const uint32_t id : model.nodes[i].outputIndex) change(id, Use::none, Use::read, inputs);
    for (const uint32_t id : model.nodes[i].inputIndex) change(id, Use::written, Use::returned, outputs);
  }
}

}  // namespace

Result<ModelGraph> to_graph(const hdi::Model& model) {
  NNRT_TRY(check_indices(model, model.inputIndex));
  NNRT_TRY(check_indices(model, model.outputIndex));
  NNRT_TRY(check_subgraph(model));
  if (model.nodes.empty()) return invalid("The model has no node.");
  GraphBuilder builder;
  for (const hdi::Tensor& tensor : model.allTensors) NNRT_TRY(add_tensor(tensor, builder));
  ModelGraph made;
  for (uint32_t i = 0; i < model.nodes.size(); ++i) {
    const hdi::Node& node = model.nodes[i];
    NNRT_TRY(check_indices(model, node.inputIndex));
    NNRT_TRY(check_indices(model, node.outputIndex));
    Status status = add_node(model, node, builder);
    auto& refusal = made.refusals.emplace_back();
    if (status.ok()) {
      made.nodes.push_back(i);
    } else {
      refusal = std::move(status).error().during(cat("reading node ", i, " (", node.name, ")"));
    }
  }
  if (made.nodes.empty()) return made;
  std::vector<uint32_t> inputs = model.inputIndex, outputs = model.outputIndex;
  if (made.nodes.size() < model.nodes.size()) cut_off(model, made, inputs, outputs);
  NNRT_TRY(builder.specify(inputs, outputs));
  NNRT_TRY(builder.finish());
  made.graph = builder.graph();
  return made;
}

}  // namespace nnrt::plugin
