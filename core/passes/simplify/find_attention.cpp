// Finds scaled dot-product attention as exporters write it: query-key product, scale, mask, softmax, product
// with the values. Shared key and value heads need not be repeated.
#include "core/graph/activation.h"
#include "core/passes/simplify/product_operands.h"
#include "core/schema/attention_geometry.h"

#include <algorithm>
#include <cmath>

namespace nnrt::simplified {
namespace {

// The attention mask: floats added to the products, or booleans.
struct Mask {
  TensorId tensor;
  bool is_boolean = false;
  bool hides = false;               // true hides a key; otherwise false does
  std::optional<double> instead{};  // the value of hidden products, if finite
};

struct AttentionPattern {
  TensorId query, key, value;
  bool key_is_transposed;  // keys are [.., length, number]
  std::optional<Mask> mask;
  double scale;
  ZeroRows zero_rows;
};

// A node that computes an unquantized float for a single reader, without an activation of its own.
const Node* plain_writer(const Rewriter& graph, TensorId id) {
  const Node* node = graph.is_read_once(id) ? graph.writer(id) : nullptr;
  if (node == nullptr || node->diagnosis || node->outputs.size() != 1 || !graph.is_plain_float(id)) return {};
  return activation_of(node->attrs) == Activation::none ? node : nullptr;
}

// The tensor that this is a multiple of, and the factor.
struct Multiple {
  TensorId tensor;
  double factor = 1;
};
Multiple multiple_of(const Rewriter& graph, TensorId id) {
  Multiple found{id};
  for (;;) {
    const Node* node = plain_writer(graph, found.tensor);
    const auto divisor = node != nullptr && node->op == Op::div ? graph.real(node->inputs[1]) : std::nullopt;
    const auto product = scaled(graph, found.tensor);
    if (divisor && graph.shape(node->inputs[0]) == graph.shape(id)) {
      found = {node->inputs[0], found.factor / *divisor};
    } else if (product) {
      found = {product->tensor, found.factor * *graph.real(product->number)};
    } else {
      return found;
    }
  }
}

// Returns whether the mask broadcasts to the products in every run.
bool broadcasts(const Rewriter& graph, TensorId mask, TensorId products) {
  const Shape &shape = graph.shape(mask), &target = graph.shape(products);
  if (shape.size() > target.size()) return false;
  const size_t first = target.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && target[first + d] <= 1) return false;
  }
  return true;
}

// The query-key product that the softmax argument is computed from.
struct Products {
  TensorId tensor;
  std::optional<Mask> mask;
  double scale;
};

// The mask of a WHERE whose input `shown` is the products. Minus infinity hides them completely; a large
// finite number only matters for rows that are fully hidden, which become means.
std::optional<Mask> mask_of_where(const Rewriter& graph, const Node& where, size_t shown) {
  constexpr double kSwallows = -1e30;
  const TensorId other = where.inputs[3 - shown], condition = where.inputs[0];
  const auto number = graph.real(other);
  if (!number || !(*number <= kSwallows) || graph.tensor(condition).dtype != DType::boolean) return {};
  if (graph.shape(condition).empty()) return {};
  Mask mask{condition, true, shown == 2, {}};
  if (std::isinf(*number)) return mask;
  if (graph.tensor(other).dtype != DType::f32) return {};
  mask.instead = *number;
  return mask;
}
std::optional<Products> products_of(const Rewriter& graph, TensorId argument) {
  const auto product = [&](TensorId id) -> std::optional<Multiple> {
    const Multiple found = multiple_of(graph, id);
    const Node* matmul = plain_writer(graph, found.tensor);
    return matmul != nullptr && matmul->op == Op::matmul ? std::optional(found) : std::nullopt;
  };
  if (const auto found = product(argument)) return Products{found->tensor, {}, found->factor};
  const Node* masking = plain_writer(graph, argument);
  if (masking == nullptr || (masking->op != Op::add && masking->op != Op::where)) return {};
  const bool is_sum = masking->op == Op::add;
  for (const size_t i : {1, 2}) {
    const auto found = product(masking->inputs[is_sum ? i - 1 : i]);
    if (!found || graph.shape(argument) != graph.shape(found->tensor)) continue;
    const auto mask =
        is_sum ? std::optional(Mask{masking->inputs[2 - i]}) : mask_of_where(graph, *masking, i);
    if (!mask || !broadcasts(graph, mask->tensor, found->tensor)) continue;
    if (is_sum && !graph.same_values(mask->tensor, found->tensor)) continue;
    return Products{found->tensor, mask, found->factor};
  }
  return {};
}

bool is_softmax_of_rows(const Rewriter& graph, const Node* node) {
  if (node == nullptr || node->op != Op::softmax) return false;
  const int64_t axis = node->attrs.integer(Attr::axis);
  return axis == -1 || axis + 1 == int64_t(graph.shape(node->outputs[0]).size());
}

std::optional<AttentionPattern> found_at(const Rewriter& graph, const Node& node) {
  if (node.op != Op::matmul || node.attrs.flag(Attr::transpose_a) || node.attrs.flag(Attr::transpose_b) ||
      activation_of(node.attrs) != Activation::none) {
    return {};
  }
  const Node* softmax = plain_writer(graph, node.inputs[0]);
  if (!is_softmax_of_rows(graph, softmax)) return {};
  const auto products = products_of(graph, softmax->inputs[0]);
  if (!products) return {};
  const Node& matmul = *graph.writer(products->tensor);
  if (matmul.attrs.flag(Attr::transpose_a)) return {};
  const Multiple query = multiple_of(graph, matmul.inputs[0]), key = multiple_of(graph, matmul.inputs[1]);
  return AttentionPattern{query.tensor,
                          key.tensor,
                          node.inputs[1],
                          !matmul.attrs.flag(Attr::transpose_b),
                          products->mask,
                          products->scale * query.factor * key.factor,
                          zero_rows_of(Op::softmax, softmax->attrs)};
}

// Keys or values before their heads are repeated.
struct OwnHeads {
  TensorId source = 0;
  Shape shape = {};
  int64_t times = 1;
};
OwnHeads own_heads(const Rewriter& graph, TensorId id) {
  OwnHeads own{id, graph.shape(id)};
  if (const auto found = repeated(graph, id)) own = {found->source, found->shape, found->times};
  return own;
}

// The heads of keys stored as [.., length, number]: those before a TRANSPOSE, with the permutation to use
// instead; empty if none is needed.
struct Keys {
  OwnHeads heads = {};
  std::vector<int64_t> order = {};
};
std::optional<Keys> keys_of(const Rewriter& graph, const AttentionPattern& found) {
  Keys keys;
  if (!found.key_is_transposed) {
    keys.heads = own_heads(graph, found.key);
    return keys;
  }
  const Node* transpose = own_writer(graph, found.key, Op::transpose);
  if (transpose == nullptr || !graph.same_values(transpose->inputs[0], found.key)) return {};
  auto order = order_of(graph, *transpose);
  if (!order || order->size() != graph.shape(found.query).size()) return {};
  std::swap(order->back(), order->end()[-2]);
  const TensorId source = transpose->inputs[0];
  if (std::ranges::is_sorted(*order)) {
    keys.heads = own_heads(graph, source);
    return keys;
  }
  keys.heads.source = source;
  for (const int64_t dimension : *order) keys.heads.shape.push_back(graph.shape(source)[size_t(dimension)]);
  keys.order = *std::move(order);
  return keys;
}

// Returns whether the heads match those of the queries, with no broadcasting in any run.
bool fit(const Shape& query, const OwnHeads& heads) {
  const size_t rank = query.size(), of_heads = rank - 3;
  if (heads.shape.size() != rank) return false;
  for (size_t d = 0; d < of_heads; ++d)
    if (query[d] <= 0 || query[d] != heads.shape[d]) return false;
  return heads.shape[of_heads] > 0 && query[of_heads] == heads.shape[of_heads] * heads.times;
}

// ATTENTION requires a batch dimension.
Shape batched(Shape shape) {
  if (shape.size() == 3) shape.insert(shape.begin(), 1);
  return shape;
}

// Returns whether a RESHAPE to this shape is possible.
bool can_be_batched(const Shape& shape) {
  return shape.size() == 4 || (std::ranges::count_if(shape, [](int64_t length) { return length < 0; }) <= 1 &&
                               std::ranges::count(shape, 0) == 0);
}

TensorId append_shaped(Rewriter& graph, TensorId source, const Shape& shape, const Node& origin) {
  return graph.shape(source) == shape ? source : append_reshape(graph, source, shape, origin);
}

TensorId append_heads(Rewriter& graph, const OwnHeads& heads, const Node& origin) {
  return append_shaped(graph, heads.source, batched(heads.shape), origin);
}

TensorId append_keys(Rewriter& graph, const Keys& keys, const Node& origin) {
  if (keys.order.empty()) return append_heads(graph, keys.heads, origin);
  Tensor numbers;
  numbers.name = "order";
  numbers.dtype = DType::i64;
  const TensorId order = graph.add_integers(numbers, {int64_t(keys.order.size())}, keys.order);
  const Tensor model = graph.tensor(keys.heads.source);
  Node transpose{Op::transpose, {keys.heads.source, order}, {}, {}, origin.position, {}, {}};
  const TensorId transposed = graph.append(std::move(transpose), model, keys.heads.shape);
  return append_shaped(graph, transposed, batched(keys.heads.shape), origin);
}

// Converts the mask for ATTENTION: floats to add, or booleans that are true for visible keys.
std::optional<TensorId> append_mask(Rewriter& graph, const Mask& mask, const Node& origin) {
  if (!mask.is_boolean) return mask.tensor;
  const Shape shape = graph.shape(mask.tensor);
  if (mask.instead) {
    const Tensor model = graph.tensor(origin.outputs[0]);
    const auto shown = graph.add_floats(model, "shown", {1}, {0});
    const auto hidden = graph.add_floats(model, "hidden", {1}, {*mask.instead});
    if (!shown || !hidden) return {};
    std::vector<TensorId> inputs{mask.tensor, *shown, *hidden};
    if (mask.hides) std::swap(inputs[1], inputs[2]);
    return graph.append({Op::where, std::move(inputs), {}, {}, origin.position, {}, {}}, model, shape);
  }
  if (!mask.hides) return mask.tensor;
  return graph.append({Op::logical_not, {mask.tensor}, {}, {}, origin.position, {}, {}},
                      graph.tensor(mask.tensor), shape);
}

Attrs attrs_of(const AttentionPattern& found) {
  Attrs attrs;
  attrs.set(Attr::scale, {.dtype = DType::f32, .integers = {}, .floats = {float(found.scale)}});
  attrs.set(Attr::causal, {.dtype = DType::i8, .integers = {0}, .floats = {}});
  attrs.set(Attr::zero_nan, zero_rows_attr(Op::attention, found.zero_rows));
  return attrs;
}

}  // namespace

bool find_attention(Rewriter& graph, NodeId id) {
  const Node node = *graph.node(id);
  const auto found = found_at(graph, node);
  if (!found) return false;
  const Shape query = graph.shape(found->query), result = graph.shape(node.outputs[0]);
  if (query.size() != 3 && query.size() != 4) return false;
  const auto keys = keys_of(graph, *found);
  const OwnHeads values = own_heads(graph, found->value);
  if (!keys || !fit(query, keys->heads) || !fit(query, values) || keys->heads.times != values.times)
    return false;
  for (const TensorId operand : {found->query, keys->heads.source, values.source}) {
    if (!graph.is_plain_float(operand) || !graph.same_values(operand, node.outputs[0])) return false;
  }
  for (const Shape& shape : {query, keys->heads.shape, values.shape, result})
    if (!can_be_batched(shape)) return false;
  std::vector<TensorId> inputs{append_shaped(graph, found->query, batched(query), node),
                               append_keys(graph, *keys, node), append_heads(graph, values, node)};
  if (found->mask) {
    const auto mask = append_mask(graph, *found->mask, node);
    if (!mask) return false;
    inputs.push_back(*mask);
  }
  Node attention{Op::attention, std::move(inputs), node.outputs, attrs_of(*found), node.position, {}, {}};
  if (batched(result) == result) {
    graph.replace(id, std::move(attention));
    return true;
  }
  attention.outputs.clear();
  const Tensor model = graph.tensor(node.outputs[0]);
  const TensorId attended = graph.append(std::move(attention), model, batched(result));
  graph.replace(id,
                {Op::reshape, {attended, add_shape(graph, result)}, node.outputs, {}, node.position, {}, {}});
  return true;
}

}  // namespace nnrt::simplified
