// Finds LAYER_NORM and RMS_NORM in exported arithmetic.
#include "core/passes/simplify/pattern_nodes.h"

#include <algorithm>

namespace nnrt::simplified {
namespace {

// The tensor whose mean over the last dimension this is, with keep_dims.
std::optional<TensorId> mean_of(const Rewriter& graph, TensorId id) {
  const Node* node = graph.writer(id, Op::reduce_mean);
  if (node == nullptr || !graph.is_plain_float(id) || !node->attrs.flag(Attr::keep_dims)) return {};
  if (node->attrs.has(Attr::reduce_to_end) && node->attrs.flag(Attr::reduce_to_end)) return {};
  const auto axes = graph.integers(node->inputs[1]);
  const auto rank = int64_t(graph.shape(node->inputs[0]).size());
  if (!axes || axes->size() != 1 || (axes->front() != -1 && axes->front() != rank - 1)) return {};
  return node->inputs[0];
}

// x, if this is x minus its mean.
std::optional<TensorId> centered(const Rewriter& graph, TensorId id) {
  const Node* node = plain_writer(graph, id, Op::sub);
  if (node == nullptr || mean_of(graph, node->inputs[1]) != node->inputs[0]) return {};
  return node->inputs[0];
}

// The normalized tensor: x itself, or x minus its mean.
struct Spread {
  TensorId x;
  double epsilon = 0;
  bool centered = false;
};

// What this is the square of.
std::optional<Spread> squared(const Rewriter& graph, TensorId id) {
  if (const auto base = square_base(graph, id)) {
    const auto x = centered(graph, *base);
    return Spread{.x = x.value_or(*base), .centered = x.has_value()};
  }
  const Node* difference = plain_writer(graph, id, Op::squared_difference);
  if (difference == nullptr) return {};
  for (const size_t i : {0, 1}) {
    if (mean_of(graph, difference->inputs[1 - i]) == difference->inputs[i])
      return Spread{.x = difference->inputs[i], .centered = true};
  }
  return {};
}

// Matches mean square or variance, plus epsilon.
std::optional<Spread> spread(const Rewriter& graph, TensorId id) {
  const Node* add = plain_writer(graph, id, Op::add);
  if (add == nullptr) return {};
  for (const size_t i : {0, 1}) {
    const auto epsilon = graph.real(add->inputs[i]);
    const auto squares = mean_of(graph, add->inputs[1 - i]);
    auto found = squares ? squared(graph, *squares) : std::nullopt;
    if (!epsilon || !found) continue;
    found->epsilon = *epsilon;
    return found;
  }
  return {};
}

std::optional<TensorId> root_base(const Rewriter& graph, TensorId id) {
  if (const Node* root = plain_writer(graph, id, Op::sqrt)) return root->inputs[0];
  return power_base(graph, id, 0.5);
}

// The tensor whose reciprocal square root this is.
std::optional<TensorId> reciprocal_root_base(const Rewriter& graph, TensorId id) {
  if (const Node* root = plain_writer(graph, id, Op::rsqrt)) return root->inputs[0];
  if (const Node* reciprocal = plain_writer(graph, id, Op::reciprocal))
    return root_base(graph, reciprocal->inputs[0]);
  const Node* quotient = plain_writer(graph, id, Op::div);
  if (quotient != nullptr && graph.is_number(quotient->inputs[0], 1))
    return root_base(graph, quotient->inputs[1]);
  return power_base(graph, id, -0.5);
}

// Matches x, centered or not, divided by the root of its own spread.
std::optional<Spread> normalized(const Rewriter& graph, TensorId id) {
  const Node* node = graph.writer(id);
  if (node == nullptr || node->diagnosis || !ends_product(graph, *node)) return {};
  const bool divides = node->op == Op::div;
  for (const size_t i : {0, 1}) {
    if (divides && i == 0) continue;  // the divisor is the second operand
    const TensorId factor = node->inputs[i], x = node->inputs[1 - i];
    const auto base = divides ? root_base(graph, factor) : reciprocal_root_base(graph, factor);
    const auto found = base ? spread(graph, *base) : std::nullopt;
    if (found && (found->centered ? centered(graph, x) == found->x : x == found->x)) return found;
  }
  return {};
}

// normalized * gamma, with gamma along the last dimension.
struct Scaled {
  Spread from;
  TensorId gamma;
};
std::optional<Scaled> scaled(const Rewriter& graph, const Node& node) {
  if (node.op != Op::mul || !is_plain(graph, node)) return {};
  for (const size_t i : {0, 1}) {
    const TensorId gamma = node.inputs[1 - i];
    const auto found = normalized(graph, node.inputs[i]);
    if (!found) continue;
    const Shape& shape = graph.shape(found->x);
    const bool fits = !shape.empty() && shape.back() >= 0 && graph.shape(gamma) == Shape{shape.back()} &&
                      shape == graph.shape(node.outputs[0]);
    if (fits) return Scaled{*found, gamma};
  }
  return {};
}

Attrs attrs_of(const Shape& shape, double epsilon) {
  Attrs attrs;
  attrs.set(Attr::begin_norm_axis, {DType::i64, {int64_t(shape.size()) - 1}, {}});
  attrs.set(Attr::epsilon, {DType::f32, {}, {epsilon}});
  return attrs;
}

// normalized * gamma: a LAYER_NORM with beta 0.
bool find_without_beta(Rewriter& graph, NodeId id) {
  if (graph.node(id)->op != Op::mul) return false;
  const Node node = *graph.node(id);
  const auto found = scaled(graph, node);
  if (!found || !found->from.centered || graph.shape(found->from.x).size() < 2) return false;
  const Shape shape = graph.shape(found->from.x);
  const auto beta = graph.add_floats(graph.tensor(found->gamma), "beta of 0", {shape.back()},
                                     std::vector<double>(size_t(shape.back()), 0.0));
  if (!beta) return false;
  Attrs attrs = attrs_of(shape, found->from.epsilon);
  attrs.set(Attr::begin_param_axis, attrs.at(Attr::begin_norm_axis));
  graph.replace(
      id, {Op::layer_norm, {found->from.x, found->gamma, *beta}, node.outputs, attrs, node.position, {}, {}});
  return true;
}

// Adds beta to a LAYER_NORM with beta 0.
bool take_beta(Rewriter& graph, NodeId id) {
  if (graph.node(id)->op != Op::add) return false;
  const Node node = *graph.node(id);
  if (!is_plain(graph, node)) return false;
  for (const size_t i : {0, 1}) {
    const Node* norm = plain_writer(graph, node.inputs[i], Op::layer_norm);
    if (norm == nullptr || !graph.is_read_once(node.inputs[i])) continue;
    const TensorId beta = node.inputs[1 - i];
    const auto before = graph.floats(norm->inputs[2]);
    const bool is_zero = before && std::ranges::count(*before, 0.0) == std::ptrdiff_t(before->size());
    const bool fits = graph.shape(beta) == graph.shape(norm->inputs[2]) &&
                      graph.shape(norm->inputs[0]) == graph.shape(node.outputs[0]);
    if (!is_zero || !fits) continue;
    Node whole = *norm;
    whole.inputs[2] = beta;
    whole.outputs = node.outputs;
    graph.replace(id, std::move(whole));
    return true;
  }
  return false;
}

}  // namespace

bool find_layer_norm(Rewriter& graph, NodeId id) {
  return find_without_beta(graph, id) || take_beta(graph, id);
}

bool find_rms_norm(Rewriter& graph, NodeId id) {
  if (graph.node(id)->op != Op::mul) return false;
  const Node node = *graph.node(id);
  const auto found = scaled(graph, node);
  if (!found || found->from.centered) return false;
  graph.replace(id, {Op::rms_norm,
                     {found->from.x, found->gamma},
                     node.outputs,
                     attrs_of(graph.shape(found->from.x), found->from.epsilon),
                     node.position,
                     {},
                     {}});
  return true;
}

}  // namespace nnrt::simplified
