#include "backends/vulkan/program/node_support.h"

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/passes/fusable_steps.h"
#include "backends/vulkan/program/trial_lowering.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "core/base/text.h"
#include "core/passes/inferred_ranks.h"
#include "core/passes/normalize.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

Refusal refuse_values(const NodeView& view) {
  const std::vector<InputRow>& rows = view.schema().inputs;
  for (size_t i = 0; i < view.input_count() && !rows.empty(); ++i) {
    const InputRow& row = rows[std::min(i, rows.size() - 1)];
    if (row.value && view.data(i) == nullptr) {
      return cat("Input '", row.name, "' determines shapes, but is only known at run time.");
    }
  }
  return std::nullopt;
}

Refusal refuse_size(const Tensor& tensor, const Shape& shape, const DevicePlan& plan) {
  if (!is_static(shape)) return std::nullopt;
  if (element_count(shape) == 0)
    return cat("Tensor '", tensor.name, "' of shape ", to_string(shape), " has no elements.");
  const auto bytes = tensor_bytes(tensor, shape);
  if (bytes && *bytes <= plan.max_storage_range) return std::nullopt;
  return cat("Tensor '", tensor.name, "' of shape ", to_string(shape),
             " exceeds the device's limit for bindings (", plan.max_storage_range, " bytes).");
}

Refusal refuse_sizes(const Graph& graph, const Node& node, const DevicePlan& plan) {
  for (const auto* tensors : {&node.inputs, &node.outputs}) {
    for (const TensorId id : *tensors) {
      if (Refusal refusal = refuse_size(graph.tensors[id], graph.shapes[id], plan)) return refusal;
    }
  }
  return std::nullopt;
}

Refusal refuse_node(const Graph& graph, const Node& node, std::span<const std::byte* const> values,
                    const DevicePlan& plan) {
  if (node.diagnosis) return node.diagnosis->message;
  const Lowering* rules = lowering(node.op);
  if (rules == nullptr) return cat(name(node.op), " has no GPU kernel.");
  const NodeView view(graph, node, graph.shapes, values);
  if (Refusal refusal = refuse_values(view)) return refusal;
  if (Refusal refusal = refuse_sizes(graph, node, plan)) return refusal;
  if (Refusal refusal = rules->refuse(view, plan)) return refusal;
  // Graphs from a client's query may not be normalized yet.
  return is_normalized(graph, node) ? refuse_lowering(view, *rules, plan) : std::nullopt;
}

}  // namespace

FuseRules fuse_rules(const Graph& graph, const DevicePlan& plan) {
  return {[&plan, values = constant_values(graph)](const Graph& asked, const Node& fused) {
    return supports_post_ops(NodeView(asked, fused, asked.shapes, values), plan);
  }};
}

std::vector<Refusal> node_refusals(const Graph& graph, const DevicePlan& plan) {
  const Graph ranked = with_inferred_ranks(graph);
  const std::vector<const std::byte*> values = constant_values(ranked);
  const auto is_asked = [&](const Node& node) {
    return node.inputs.empty() || node.inputs[0] < graph.tensors.size();
  };
  const std::vector<bool> of_choices = nodes_of_choices(ranked);
  std::vector<Refusal> refusals;
  for (NodeId id = 0; id < ranked.nodes.size(); ++id) {
    const Node& node = ranked.nodes[id];
    if (!is_asked(node)) continue;
    refusals.push_back(of_choices[id] ? Refusal("Whether it runs is only known at run time.")
                                      : refuse_node(ranked, node, values, plan));
  }
  return refusals;
}

}  // namespace nnrt::vulkan
