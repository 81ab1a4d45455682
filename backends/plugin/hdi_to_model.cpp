#include "backends/plugin/hdi_to_model.h"

#include "backends/plugin/hdi_enums.h"
#include "core/base/text.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <numeric>

namespace nnrt::plugin {
namespace {

std::vector<int32_t> dims_of(const nnrt::Shape& shape) { return {shape.begin(), shape.end()}; }

// All tensors are NHWC for a driver, whatever the client declared.
hdi::Tensor tensor_of(const Graph& graph, TensorId id, const ConstantPlan& plan,
                      const hdi::SharedBuffer& constants) {
  const nnrt::Tensor& tensor = graph.tensors[id];
  hdi::Tensor made;
  made.name = tensor_name(graph, id);
  made.dataType = to_hdi(tensor.dtype);
  made.dims = dims_of(graph.shapes[id]);  // as declared, refined by inference
  made.format = hdi::FORMAT_NHWC;
  if (tensor.is_constant()) {
    made.data = constants;
    made.data.offset += static_cast<uint32_t>(plan.offsets[id]);
    made.data.dataSize = static_cast<uint32_t>(tensor.data->size());
  }
  for (size_t i = 0; i < tensor.quant.scales.size(); ++i)
    made.quantParams.push_back({8, tensor.quant.zero_points[i], tensor.quant.scales[i]});
  return made;
}

// An ignored bias is not sent. hasBias is also false if the client does not set it.
std::vector<TensorId> operands_of(const nnrt::Node& node) {
  std::vector<TensorId> operands = node.inputs;
  const bool ignores_bias =
      node.op == Op::full_connection && node.attrs.has(Attr::has_bias) && !node.attrs.flag(Attr::has_bias);
  if (ignores_bias) operands.resize(std::min<size_t>(operands.size(), 2));
  return operands;
}

}  // namespace

ConstantPlan plan_constants(const Graph& graph) {
  ConstantPlan plan{std::vector<uint64_t>(graph.tensors.size(), 0), 0};
  for (const TensorId id : used_tensors(graph)) {
    if (!graph.tensors[id].is_constant()) continue;
    plan.offsets[id] = plan.bytes;
    plan.bytes += graph.tensors[id].data->size();
  }
  return plan;
}

void copy_constants(const Graph& graph, const ConstantPlan& plan, std::byte* to) {
  for (const TensorId id : used_tensors(graph)) {
    if (graph.tensors[id].is_constant()) std::ranges::copy(*graph.tensors[id].data, to + plan.offsets[id]);
  }
}

std::vector<TensorId> used_tensors(const Graph& graph) {
  std::vector<bool> used(graph.tensors.size(), false);
  for (const nnrt::Node& node : graph.nodes) {
    for (const TensorId id : node.inputs) used[id] = true;
    for (const TensorId id : node.outputs) used[id] = true;
  }
  for (const TensorId id : graph.inputs) used[id] = true;
  for (const TensorId id : graph.outputs) used[id] = true;
  std::vector<TensorId> ids;
  for (TensorId id = 0; id < used.size(); ++id) {
    if (used[id]) ids.push_back(id);
  }
  return ids;
}

std::string tensor_name(const Graph& graph, TensorId id) {
  return graph.tensors[id].name.empty() ? cat("Tensor: ", id) : graph.tensors[id].name;
}

hdi::Model to_model(const Graph& graph, const ConstantPlan& plan, const hdi::SharedBuffer& constants,
                    uint32_t minor) {
  hdi::Model model;
  model.name = "NNR_Model";
  std::vector<uint32_t> index(graph.tensors.size(), 0);
  for (const TensorId id : used_tensors(graph)) {
    index[id] = static_cast<uint32_t>(model.allTensors.size());
    model.allTensors.push_back(tensor_of(graph, id, plan, constants));
  }
  const auto indices = [&](const std::vector<TensorId>& ids) {
    std::vector<uint32_t> result;
    result.reserve(ids.size());
    for (const TensorId id : ids) result.push_back(index[id]);
    return result;
  };
  model.inputIndex = indices(graph.inputs);
  model.outputIndex = indices(graph.outputs);
  for (const nnrt::Node& node : graph.nodes) {
    hdi::Node made;
    made.name = cat(schema(node.op).name, ":", node.position);
    made.nodeType = find_row(node.op)->type;
    made.inputIndex = indices(operands_of(node));
    made.outputIndex = indices(node.outputs);
    const bool is_quantized = !graph.tensors[node.outputs.front()].quant.empty();
    made.quantType = is_quantized ? hdi::QUANT_TYPE_ALL : hdi::QUANT_TYPE_NONE;
    made.attr = attributes_of(graph, node, minor);
    model.nodes.push_back(std::move(made));
  }
  std::vector<uint32_t> nodes(model.nodes.size());
  std::iota(nodes.begin(), nodes.end(), 0u);
  model.subGraph.push_back({"NNRt_SubGraph", model.inputIndex, model.outputIndex, std::move(nodes)});
  return model;
}

}  // namespace nnrt::plugin
