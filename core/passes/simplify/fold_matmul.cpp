// Merges work on the operands of a MATMUL into it: exported attention scales keys and transposes them.
#include "core/graph/activation.h"
#include "core/passes/simplify/product_operands.h"

#include <algorithm>
#include <numeric>

namespace nnrt::simplified {
namespace {

bool is_matmul(const Rewriter& graph, const Node& node) {
  return node.op == Op::matmul && graph.is_plain_float(node.inputs[0]) &&
         graph.is_plain_float(node.inputs[1]);
}

int64_t count_of(const Shape& shape) { return element_count(shape).value_or(-1); }

bool swaps_last_two(const Rewriter& graph, const Node& transpose) {
  const auto order = order_of(graph, transpose);
  if (!order || order->size() < 2) return false;
  std::vector<int64_t> swapped(order->size());
  std::iota(swapped.begin(), swapped.end(), 0);
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  return *order == swapped;
}

Shape with_last_two_swapped(Shape shape) {
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

bool same_last_two(const Shape& a, const Shape& b) {
  return a.size() >= 2 && b.size() >= 2 && std::equal(a.end() - 2, a.end(), b.end() - 2);
}

void set_transposed(Node& matmul) {
  const bool transposed = matmul.attrs.flag(Attr::transpose_b);
  matmul.attrs.set(Attr::transpose_b,
                   {.dtype = DType::boolean, .integers = {transposed ? 0 : 1}, .floats = {}});
}

}  // namespace

const Node* own_writer(const Rewriter& graph, TensorId id, Op op) {
  return graph.is_read_once(id) ? graph.writer(id, op) : nullptr;
}

std::optional<Scaled> scaled(const Rewriter& graph, TensorId id) {
  const Node* node = own_writer(graph, id, Op::mul);
  if (node == nullptr || activation_of(node->attrs) != Activation::none) return {};
  for (const size_t i : {0, 1}) {
    const TensorId number = node->inputs[i], tensor = node->inputs[1 - i];
    const bool fits = graph.shape(tensor) == graph.shape(id) && graph.same_values(tensor, id) &&
                      graph.same_values(number, id);
    if (graph.real(number) && fits) return Scaled{tensor, number};
  }
  return {};
}

std::optional<std::vector<int64_t>> order_of(const Rewriter& graph, const Node& transpose) {
  auto order = graph.integers(transpose.inputs[1]);
  const size_t rank = graph.shape(transpose.inputs[0]).size();
  if (!order || order->size() != rank) return {};
  for (int64_t& dimension : *order) {
    if (dimension < 0) dimension += int64_t(rank);
    if (dimension < 0 || dimension >= int64_t(rank)) return {};
  }
  return order;
}

std::optional<Repeated> repeated(const Rewriter& graph, TensorId id) {
  const Node* reshape = own_writer(graph, id, Op::reshape);
  const Node* broadcast =
      reshape == nullptr ? nullptr : own_writer(graph, reshape->inputs[0], Op::broadcast_to);
  if (broadcast == nullptr || !graph.same_values(broadcast->inputs[0], id)) return {};
  const Shape& from = graph.shape(broadcast->inputs[0]);
  const Shape& to = graph.shape(broadcast->outputs[0]);
  const size_t rank = to.size();
  if (rank < 4 || from.size() != rank || !is_static(to) || !is_static(from)) return {};
  Shape unrepeated = to, merged = to;
  unrepeated[rank - 3] = 1;
  merged.erase(merged.end() - 3);
  merged[rank - 4] = to[rank - 4] * to[rank - 3];
  if (from != unrepeated || graph.shape(id) != merged) return {};
  Shape source = to;
  source.erase(source.end() - 3);
  return Repeated{broadcast->inputs[0], std::move(source), to[rank - 3]};
}

TensorId add_shape(Rewriter& graph, const Shape& shape) {
  Tensor model;
  model.name = "shape";
  model.dtype = DType::i64;
  return graph.add_integers(model, {int64_t(shape.size())}, shape);
}

TensorId append_reshape(Rewriter& graph, TensorId from, const Shape& shape, const Node& origin) {
  Tensor model = graph.tensor(from);
  if (model.is_constant()) {
    model.shape = shape;
    return graph.add(std::move(model));
  }
  Node node{Op::reshape, {from, add_shape(graph, shape)}, {}, {}, origin.position, {}, {}};
  return graph.append(std::move(node), model, shape);
}

// a x (b * number) becomes (a * number) x b, which is cheaper if a is smaller or already scaled.
bool move_scale(Rewriter& graph, NodeId id) {
  if (!is_matmul(graph, *graph.node(id))) return false;
  const Node node = *graph.node(id);
  const TensorId left = node.inputs[0];
  const auto right = scaled(graph, node.inputs[1]);
  const int64_t left_count = count_of(graph.shape(left)), right_count = count_of(graph.shape(node.inputs[1]));
  const auto before = scaled(graph, left);
  const bool is_less_work = before || (left_count >= 0 && left_count < right_count);
  if (!right || !is_less_work) return false;
  const double number = *graph.real(right->number) * (before ? *graph.real(before->number) : 1.0);
  const TensorId unscaled = before ? before->tensor : left;
  const Tensor model = graph.tensor(right->number);
  const auto scale = graph.add_floats(model, "scale", {1}, {number});
  if (!scale) return false;
  const Node& mul = *graph.writer(node.inputs[1], Op::mul);
  Node made{Op::mul, {unscaled, *scale}, {}, mul.attrs, node.position, {}, {}};
  const Tensor left_model = graph.tensor(left);
  const Shape shape = graph.shape(left);
  Node product = node;
  product.inputs = {graph.append(std::move(made), left_model, shape), right->tensor};
  graph.replace(id, std::move(product));
  return true;
}

// A transpose of the right operand's matrices, possibly behind a RESHAPE of the batch.
bool fold_transpose(Rewriter& graph, NodeId id) {
  if (!is_matmul(graph, *graph.node(id))) return false;
  const Node node = *graph.node(id);
  if (graph.shape(node.inputs[1]).size() < 2) return false;
  const TensorId right = node.inputs[1];
  const Node* reshape = own_writer(graph, right, Op::reshape);
  const TensorId transposed = reshape == nullptr ? right : reshape->inputs[0];
  const Node* transpose = own_writer(graph, transposed, Op::transpose);
  const bool fits = transpose != nullptr && swaps_last_two(graph, *transpose) &&
                    graph.same_values(transpose->inputs[0], right) &&
                    same_last_two(graph.shape(transposed), graph.shape(right));
  if (!fits || (reshape != nullptr && !is_static(graph.shape(right)))) return false;
  const TensorId source = transpose->inputs[0];
  Node product = node;
  set_transposed(product);
  product.inputs[1] = reshape == nullptr
                          ? source
                          : append_reshape(graph, source, with_last_two_swapped(graph.shape(right)), node);
  graph.replace(id, std::move(product));
  return true;
}

}  // namespace nnrt::simplified
