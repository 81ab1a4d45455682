#include "backends/vulkan/supports.h"

#include "backends/vulkan/lower/steps.h"
#include "backends/vulkan/lowering.h"
#include "backends/vulkan/program.h"
#include "core/infer.h"
#include "core/schema.h"
#include "core/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

Refusal judge_values(const NodeView& view) {
  const std::vector<InputRow>& rows = view.schema().inputs;
  for (size_t i = 0; i < view.input_count() && !rows.empty(); ++i) {
    const InputRow& row = rows[std::min(i, rows.size() - 1)];
    if (row.value && view.data(i) == nullptr) {
      return cat("Input '", row.name, "' decides shapes, but is known only in the run.");
    }
  }
  return std::nullopt;
}

Refusal judge_size(const Tensor& tensor, const Shape& shape, const DevicePlan& plan) {
  if (!is_static(shape)) return std::nullopt;
  const auto bytes = tensor_bytes(tensor, shape);
  if (bytes && *bytes <= plan.max_storage_range) return std::nullopt;
  return cat("Tensor '", tensor.name, "' of shape ", to_string(shape), " is larger than the device binds (",
             plan.max_storage_range, " bytes).");
}

Refusal judge_sizes(const Graph& graph, const Node& node, const DevicePlan& plan) {
  for (const auto* tensors : {&node.inputs, &node.outputs}) {
    for (const TensorId id : *tensors) {
      if (Refusal refusal = judge_size(graph.tensors[id], graph.shapes[id], plan)) return refusal;
    }
  }
  return std::nullopt;
}

Refusal judge_node(const Graph& graph, const Node& node, std::span<const std::byte* const> values,
                   const DevicePlan& plan) {
  if (node.diagnosis) return node.diagnosis->message;
  const Lowering* rules = lowering(node.op);
  if (rules == nullptr) return cat(name(node.op), " has no GPU kernel.");
  const NodeView view(graph, node, graph.shapes, values);
  if (Refusal refusal = judge_values(view)) return refusal;
  if (Refusal refusal = rules->refuse(view, plan)) return refusal;
  return judge_sizes(graph, node, plan);
}

}  // namespace

FuseRules fuse_rules(const Graph& graph, const DevicePlan& plan) {
  return {[&plan, values = constant_values(graph)](const Graph& asked, const Node& fused) {
    return takes_steps(NodeView(asked, fused, asked.shapes, values), plan);
  }};
}

std::vector<Refusal> judge(const Graph& graph, const DevicePlan& plan) {
  const std::vector<const std::byte*> values = constant_values(graph);
  std::vector<Refusal> refusals;
  for (const Node& node : graph.nodes) refusals.push_back(judge_node(graph, node, values, plan));
  return refusals;
}

}  // namespace nnrt::vulkan
