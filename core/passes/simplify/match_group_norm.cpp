// Finds GROUP_NORM as exporters write it: a RESHAPE joins the channels of each group, INSTANCE_NORM
// normalizes them, then the channels are scaled and shifted.
#include "core/passes/simplify/pattern_nodes.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt::simplified {
namespace {

constexpr size_t kMinRank = 3, kMaxRank = 7;  // ranks supported by GROUP_NORM

// The RESHAPE (or equivalent) that writes this tensor.
const Node* reshape_of(const Rewriter& graph, TensorId id) {
  const Node* node = graph.writer(id);
  const bool is_reshape = node != nullptr && !node->diagnosis && only_reshapes(node->op) &&
                          graph.same_values(node->inputs[0], id);
  return is_reshape ? node : nullptr;
}

const Node* instance_norm_of(const Rewriter& graph, TensorId id) {
  while (const Node* node = reshape_of(graph, id)) id = node->inputs[0];
  const Node* norm = plain_writer(graph, id, Op::instance_norm);
  return norm != nullptr && graph.format_of(*norm) != Format::nhwc ? norm : nullptr;
}

// For shapes with equal element counts, in which a single unknown dimension is equal too.
bool same_shape(const Shape& a, const Shape& b) { return a == b && std::ranges::count(a, kUnknown) <= 1; }

std::optional<TensorId> reshaped_from(const Rewriter& graph, TensorId id, const Shape& shape) {
  while (const Node* node = reshape_of(graph, id)) {
    id = node->inputs[0];
    if (same_shape(graph.shape(id), shape)) return id;
  }
  return {};
}

// The number of elements after the first dimension, if known.
std::optional<int64_t> count_behind_first(const Shape& shape) {
  const Shape rest(shape.begin() + 1, shape.end());
  return is_static(rest) ? element_count(rest) : std::nullopt;
}

// For shapes with equal element counts.
bool same_batch(const Shape& a, const Shape& b) {
  if (a[0] != kUnknown && a[0] == b[0]) return true;
  const auto rest = count_behind_first(a);
  return rest && *rest > 0 && rest == count_behind_first(b);
}

// Constants along dimension 1 (the channels): [C, 1, 1] or [1, C, 1, 1].
std::optional<std::vector<double>> channel_terms(const Rewriter& graph, TensorId id, const Shape& data) {
  Shape shape = graph.shape(id);
  if (shape.size() == data.size() && shape[0] == 1) shape.erase(shape.begin());
  Shape wanted(data.size() - 1, 1);
  wanted[0] = data[1];
  return shape == wanted ? graph.floats(id) : std::nullopt;
}

// scaled = INSTANCE_NORM of groups * weight.
struct Groups {
  Node norm;
  Shape shape;                // with the original channels
  std::optional<TensorId> x;  // in this shape, if it exists: consecutive reshapes have been merged
  TensorId weight;
};

std::optional<Groups> groups_of(const Rewriter& graph, TensorId scaled) {
  const Node* product = plain_writer(graph, scaled, Op::mul);
  if (product == nullptr) return {};
  for (const size_t i : {0, 1}) {
    const TensorId y = product->inputs[i];
    const Node* norm = instance_norm_of(graph, y);
    if (norm == nullptr || graph.shape(y) != graph.shape(scaled)) continue;
    const Shape& shape = graph.shape(y);
    const auto x = reshaped_from(graph, norm->inputs[0], shape);
    if (x || is_static(shape)) return Groups{*norm, shape, x, product->inputs[1 - i]};
  }
  return {};
}

struct Terms {
  std::vector<double> scale, bias;  // by channel
};

// Combines the per-group and per-channel terms.
std::optional<Terms> terms_of(const Rewriter& graph, const Groups& found, TensorId bias) {
  const auto group_scale = graph.floats(found.norm.inputs[1]),
             group_bias = graph.floats(found.norm.inputs[2]);
  const auto weights = channel_terms(graph, found.weight, found.shape),
             biases = channel_terms(graph, bias, found.shape);
  if (!group_scale || !group_bias || !weights || !biases) return {};
  if (group_scale->empty() || weights->size() % group_scale->size() != 0) return {};
  Terms terms;
  const size_t width = weights->size() / group_scale->size();
  for (size_t c = 0; c < weights->size(); ++c) {
    terms.scale.push_back((*group_scale)[c / width] * (*weights)[c]);
    terms.bias.push_back((*group_bias)[c / width] * (*weights)[c] + (*biases)[c]);
  }
  return terms;
}

TensorId input_of(Rewriter& graph, const Groups& found) {
  if (found.x) return *found.x;
  const TensorId grouped = found.norm.inputs[0];
  const auto rank = int64_t(found.shape.size());
  const Tensor list{"", DType::i64, Format::none, {rank}, {}, 0, {}};
  const TensorId shape = graph.add_integers(list, {rank}, found.shape);
  return graph.append({Op::reshape, {grouped, shape}, {}, {}, found.norm.position, {}, {}},
                      Tensor(graph.tensor(grouped)), found.shape);
}

bool replace_by_group_norm(Rewriter& graph, NodeId id, const Groups& found, TensorId bias) {
  const Node node = *graph.node(id);
  const Shape& shape = found.shape;
  if (shape.size() < kMinRank || shape.size() > kMaxRank || shape != graph.shape(node.outputs[0]) ||
      !same_batch(shape, graph.shape(found.norm.inputs[0]))) {
    return false;
  }
  const auto terms = terms_of(graph, found, bias);
  if (!terms) return false;
  Attrs attrs;
  attrs.set(Attr::group, {DType::i64, {graph.shape(found.norm.inputs[1])[0]}, {}});
  attrs.set(Attr::epsilon, {DType::f32, {}, {found.norm.attrs.real(Attr::epsilon)}});
  const Tensor model = graph.tensor(found.weight);
  const auto scale = graph.add_floats(model, model.name, {shape[1]}, terms->scale);
  const auto shift = graph.add_floats(model, graph.tensor(bias).name, {shape[1]}, terms->bias);
  if (!scale || !shift) return false;
  graph.replace(id, {Op::group_norm,
                     {input_of(graph, found), *scale, *shift},
                     node.outputs,
                     attrs,
                     node.position,
                     {},
                     {},
                     Format::nchw});
  return true;
}

}  // namespace

bool find_group_norm(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  if (node.op != Op::add || !is_plain(graph, node)) return false;
  for (const size_t i : {0, 1}) {
    const auto found = groups_of(graph, node.inputs[i]);
    if (found) return replace_by_group_norm(graph, id, *found, node.inputs[1 - i]);
  }
  return false;
}

}  // namespace nnrt::simplified
