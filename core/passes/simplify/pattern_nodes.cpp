#include "core/passes/simplify/pattern_nodes.h"

#include <algorithm>

namespace nnrt::simplified {

bool is_plain(const Rewriter& graph, const Node& node) {
  const DType dtype = graph.tensor(node.outputs[0]).dtype;
  if (!graph.is_plain_float(node.outputs[0]) || activation_of(node.attrs) != Activation::none) return false;
  return std::ranges::all_of(node.inputs, [&](TensorId id) { return graph.tensor(id).dtype == dtype; });
}

const Node* plain_writer(const Rewriter& graph, TensorId id, Op op) {
  const Node* node = graph.writer(id, op);
  return node != nullptr && is_plain(graph, *node) ? node : nullptr;
}

bool ends_product(const Rewriter& graph, const Node& node) {
  return (node.op == Op::mul || node.op == Op::div) && is_plain(graph, node);
}

std::optional<TensorId> beside(const Rewriter& graph, const Node* node, double value) {
  if (node == nullptr) return {};
  for (const size_t i : {0, 1}) {
    if (graph.is_number(node->inputs[i], value)) return node->inputs[1 - i];
  }
  return {};
}

std::optional<TensorId> power_base(const Rewriter& graph, TensorId id, double exponent) {
  const Node* node = plain_writer(graph, id, Op::pow);
  const bool is_power = node != nullptr && graph.is_number(node->inputs[1], exponent) &&
                        node->attrs.real(Attr::scale) == 1 && node->attrs.real(Attr::shift) == 0;
  return is_power ? std::optional(node->inputs[0]) : std::nullopt;
}

std::optional<TensorId> square_base(const Rewriter& graph, TensorId id) {
  if (const Node* node = plain_writer(graph, id, Op::square)) return node->inputs[0];
  const Node* product = plain_writer(graph, id, Op::mul);
  if (product != nullptr && product->inputs[0] == product->inputs[1]) return product->inputs[0];
  return power_base(graph, id, 2);
}

}  // namespace nnrt::simplified
