// Removes movements that cancel each other, those around pools, and no-op operators.
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

// TRANSPOSE to channels last, a pool, TRANSPOSE back to channels first.
struct PoolBetween {
  const Node& first;
  Node pool;
};
std::optional<PoolBetween> pool_between(const Rewriter& graph, const Node& last) {
  using Order = std::vector<int64_t>;
  if (last.op != Op::transpose || order_of(graph, last) != Order{0, 3, 1, 2}) return {};
  for (const Op op : {Op::max_pool, Op::avg_pool}) {
    const Node* const pool = own_writer(graph, last.inputs[0], op);
    if (pool == nullptr || !graph.same_values(last.inputs[0], last.outputs[0])) continue;
    const Node* const first = graph.writer(pool->inputs[0], Op::transpose);
    if (first == nullptr || order_of(graph, *first) != Order{0, 2, 3, 1}) continue;
    if (graph.same_values(first->inputs[0], first->outputs[0])) return PoolBetween{*first, *pool};
  }
  return {};
}

// Images [batch, channels, height, width] as [batch * channels, height, width, 1].
Shape as_planes(const Shape& shape) { return {shape[0] * shape[1], shape[2], shape[3], 1}; }

// Whether pooling lines of single channels takes less time than transposing at both ends.
bool suits_planes(const Rewriter& graph, const Node& pool, const Shape& from, const Shape& to) {
  constexpr int64_t kManyPixels = 2048, kLongLine = 32;
  const bool is_global = to[2] * to[3] == 1;
  if (graph.is_plain_float(pool.inputs[0])) return is_global || to[3] >= kLongLine;
  return is_global && pool.op == Op::avg_pool && from[2] * from[3] >= kManyPixels;
}

}  // namespace

bool pool_planes(Rewriter& graph, NodeId id) {
  Node last = *graph.node(id);
  auto between = pool_between(graph, last);
  if (!between) return false;
  const TensorId images = between->first.inputs[0];
  const Shape from = graph.shape(images), to = graph.shape(last.outputs[0]);
  if (!is_static(from) || !is_static(to) || !suits_planes(graph, between->pool, from, to)) return false;
  Node pool = std::move(between->pool);
  const Tensor model = graph.tensor(pool.outputs[0]);
  pool.inputs[0] = append_reshape(graph, images, as_planes(from), pool);
  pool.outputs.clear();
  const TensorId planes = graph.append(std::move(pool), model, as_planes(to));
  Node joined{Op::reshape, {planes, add_shape(graph, to)}, last.outputs, {}, last.position, {}, {}};
  graph.replace(id, std::move(joined));
  return true;
}

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
