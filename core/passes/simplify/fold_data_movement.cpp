// Removes movements that cancel each other, and no-op operators.
#include "core/graph/activation.h"
#include "core/passes/simplify/product_operands.h"

#include <algorithm>

namespace nnrt::simplified {
namespace {

bool merge_transposes(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const Node* first = graph.writer(node.inputs[0], Op::transpose);
  if (first == nullptr) return false;
  const auto outer = order_of(graph, node), inner = order_of(graph, *first);
  if (!outer || !inner || !graph.same_values(first->inputs[0], node.outputs[0]) ||
      !graph.same_values(node.inputs[0], node.outputs[0])) {
    return false;
  }
  std::vector<int64_t> both;
  for (const int64_t dimension : *outer) both.push_back((*inner)[size_t(dimension)]);
  Node made = node;
  made.inputs[0] = first->inputs[0];
  const Tensor model = graph.tensor(node.inputs[1]);
  made.inputs[1] = graph.add_integers(model, {int64_t(both.size())}, both);
  graph.replace(id, std::move(made));
  return true;
}

bool merge_reshapes(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const Node* first = graph.writer(node.inputs[0], Op::reshape);
  const Shape shape = graph.shape(node.outputs[0]);
  if (first == nullptr || !is_static(shape) || shape.empty() || !graph.tensor(node.inputs[1]).is_constant()) {
    return false;
  }
  if (!graph.same_values(first->inputs[0], node.outputs[0]) ||
      !graph.same_values(node.inputs[0], node.outputs[0])) {
    return false;
  }
  Node made = node;
  made.inputs[0] = first->inputs[0];
  const Tensor model = graph.tensor(node.inputs[1]);
  made.inputs[1] = graph.add_integers(model, {int64_t(shape.size())}, shape);
  graph.replace(id, std::move(made));
  return true;
}

bool is_identity(const Rewriter& graph, const Node& node) {
  switch (node.op) {
    case Op::transpose: {
      const auto order = order_of(graph, node);
      return order && std::ranges::is_sorted(*order);
    }
    case Op::mul:
    case Op::div: {
      const auto number = graph.real(node.inputs[1]);
      return number == 1.0 && activation_of(node.attrs) == Activation::none;
    }
    case Op::cast:
      return is_static(graph.shape(node.outputs[0])) &&
             node.attrs.is_set(Attr::source_shifted) == node.attrs.is_set(Attr::target_shifted);
    default: return false;
  }
}

}  // namespace

bool merge_data_movement(Rewriter& graph, NodeId id) {
  switch (graph.node(id)->op) {
    case Op::transpose: return merge_transposes(graph, id);
    case Op::reshape: return merge_reshapes(graph, id);
    default: return false;
  }
}

bool drop_identity(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  return is_identity(graph, node) && graph.forward(node.outputs[0], node.inputs[0]);
}

}  // namespace nnrt::simplified
