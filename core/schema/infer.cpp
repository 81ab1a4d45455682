#include "core/schema/infer.h"

#include "core/base/text.h"
#include "core/schema/node_view.h"
#include "core/schema/validate.h"

#include <algorithm>

namespace nnrt {
namespace {

std::string describe(const Node& node) {
  return cat("checking ", name(node.op), " (operation ", node.position, ")");
}

std::vector<Shape> declared_shapes(const Graph& graph) {
  std::vector<Shape> shapes;
  shapes.reserve(graph.tensors.size());
  for (const Tensor& tensor : graph.tensors) shapes.push_back(tensor.shape);
  return shapes;
}

// Finds choices between tensors of different shapes: a STRIDED_SLICE that becomes empty unless a WHERE on
// constants selects its end, and a WHERE on dimensions from SHAPE.
class Choices {
 public:
  explicit Choices(const Graph& graph) : graph_(graph), producers_(graph.tensors.size(), nullptr) {
    for (const Node& node : graph.nodes)
      for (const TensorId output : node.outputs) producers_[output] = &node;
    for (const Node& node : graph.nodes) empty_ = empty_ && !has(node, 0) && !has(node, 1);
  }

  bool empty() const { return empty_; }
  bool has(const Node& node, size_t input) const {
    if (input >= node.inputs.size() || !is_choice(graph_, node, input)) return false;
    if (node.op == Op::where) return is_made_by(node.inputs[input], Op::shape);
    constexpr size_t kEnd = 2;
    const TensorId end = node.inputs[kEnd];
    return is_made_by(end, Op::where) && graph_.tensors[producers_[end]->inputs[1]].is_constant() &&
           graph_.tensors[producers_[end]->inputs[2]].is_constant();
  }

 private:
  bool is_made_by(TensorId id, Op op) const { return producers_[id] != nullptr && producers_[id]->op == op; }

  const Graph& graph_;
  std::vector<const Node*> producers_;
  bool empty_ = true;
};

void store(const Node& node, std::vector<Shape>&& inferred, std::vector<Shape>& shapes) {
  for (size_t i = 0; i < inferred.size(); ++i) shapes[node.outputs[i]] = std::move(inferred[i]);
}

}  // namespace

void infer(Graph& graph) {
  graph.shapes = declared_shapes(graph);
  const std::vector<const std::byte*> values = constant_values(graph);
  for (Node& node : graph.nodes) {
    auto inferred = infer_node(NodeView(graph, node, graph.shapes, values));
    if (inferred.ok()) {
      store(node, std::move(inferred).value(), graph.shapes);
    } else {
      node.diagnosis = std::move(inferred).error().during(describe(node));
    }
  }
}

bool is_choice(const Graph& graph, const Node& node, size_t input) {
  if (node.op == Op::where)
    return (input == 1 || input == 2) && element_count(graph.shapes[node.inputs[0]]) == 1;
  return node.op == Op::strided_slice && input == 0;
}

std::vector<bool> deferred_errors(const Graph& graph) {
  const Choices choices(graph);
  std::vector<bool> is_read(graph.tensors.size(), false), counts(graph.tensors.size(), false);
  for (const TensorId id : graph.outputs) counts[id] = true;
  std::vector<bool> deferred(graph.nodes.size(), false);
  if (choices.empty()) return deferred;
  for (NodeId id = NodeId(graph.nodes.size()); id-- > 0;) {
    const Node& node = graph.nodes[id];
    deferred[id] = std::ranges::any_of(node.outputs, [&](TensorId output) { return is_read[output]; }) &&
                   std::ranges::none_of(node.outputs, [&](TensorId output) { return counts[output]; });
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      is_read[node.inputs[i]] = true;
      if (!deferred[id] && !choices.has(node, i)) counts[node.inputs[i]] = true;
    }
  }
  return deferred;
}

std::vector<bool> nodes_of_choices(const Graph& graph) {
  constexpr int64_t kMaxScalars = 64;
  std::vector<bool> taking_part = deferred_errors(graph);
  if (std::ranges::find(taking_part, true) == taking_part.end()) return taking_part;
  const Choices choices(graph);
  std::vector<bool> leads_to(graph.tensors.size(), false);  // a choice
  for (NodeId id = NodeId(graph.nodes.size()); id-- > 0;) {
    const Node& node = graph.nodes[id];
    const bool is_choice = choices.has(node, 0) || choices.has(node, 1) || choices.has(node, 2);
    const bool is_before = std::ranges::any_of(node.outputs, [&](TensorId output) {
      return leads_to[output] && element_count(graph.shapes[output]).value_or(kMaxScalars + 1) <= kMaxScalars;
    });
    if (!is_choice && !is_before) continue;
    taking_part[id] = true;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (!choices.has(node, i)) leads_to[node.inputs[i]] = true;
  }
  // A node that joins the slices also reads the one that becomes empty.
  std::vector<bool> may_be_cut(graph.tensors.size(), false);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    const auto is_cut = [&](TensorId input) { return may_be_cut[input]; };
    if (std::ranges::any_of(node.inputs, is_cut)) taking_part[id] = true;
    if (node.op == Op::strided_slice && choices.has(node, 0)) may_be_cut[node.outputs[0]] = true;
  }
  return taking_part;
}

Result<std::vector<Shape>> infer_run(const Graph& graph, std::span<const Shape> inputs) {
  std::vector<Shape> shapes = declared_shapes(graph);
  for (size_t i = 0; i < inputs.size(); ++i) shapes[graph.inputs[i]] = inputs[i];
  const std::vector<const std::byte*> values = constant_values(graph);
  std::vector<bool> deferred;  // computed on the first error
  for (const Node& node : graph.nodes) {
    if (node.diagnosis) continue;  // accepted by a plugin
    auto inferred = infer_node(NodeView(graph, node, shapes, values));
    if (inferred.ok()) {
      store(node, std::move(inferred).value(), shapes);
      continue;
    }
    if (deferred.empty()) deferred = deferred_errors(graph);
    if (!deferred[size_t(&node - graph.nodes.data())])
      return std::move(inferred).error().during(describe(node));
  }
  return shapes;
}

std::vector<const std::byte*> constant_values(const Graph& graph) {
  std::vector<const std::byte*> values;
  values.reserve(graph.tensors.size());
  for (const Tensor& tensor : graph.tensors) values.push_back(tensor.data ? tensor.data->data() : nullptr);
  return values;
}

}  // namespace nnrt
