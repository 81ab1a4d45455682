// Folds per-channel constant factors and terms into the weights of the preceding operator.
#include "core/graph/activation.h"
#include "core/passes/simplify/channel_scale.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <cmath>

namespace nnrt::simplified {
namespace {

// result = factor * x + term, per channel; a single entry applies to all channels.
struct Affine {
  std::vector<double> factor{1}, term{0};

  double factor_of(size_t channel) const { return factor[factor.size() == 1 ? 0 : channel]; }
  double term_of(size_t channel) const { return term[term.size() == 1 ? 0 : channel]; }
};

using Values = std::optional<std::vector<double>>;

// The dimension of the channels.
size_t channels_of(const Rewriter& graph, const Node& node) {
  const size_t rank = graph.shape(node.inputs[0]).size();
  return graph.format_of(node) == Format::nchw && rank > 2 ? 1 : rank - 1;
}

// A constant with one value, or one per channel of the result.
Values along_channels(const Rewriter& graph, TensorId id, const Shape& result, size_t channels) {
  const Shape& shape = graph.shape(id);
  if (shape.size() > result.size() || result.empty()) return {};
  const auto count = element_count(shape);
  const size_t missing = result.size() - shape.size();
  const bool is_line =
      channels >= missing && shape[channels - missing] == result[channels] && count == result[channels];
  if (count == 0 || (count != 1 && !is_line)) return {};
  return graph.floats(id);
}

std::optional<Affine> of_binary(const Rewriter& graph, const Node& node, size_t operand, size_t channels) {
  Values values = along_channels(graph, node.inputs[1 - operand], graph.shape(node.outputs[0]), channels);
  if (!values) return {};
  switch (node.op) {
    case Op::mul: return Affine{*std::move(values), {0}};
    case Op::add: return Affine{{1}, *std::move(values)};
    case Op::sub:
      if (operand == 1) return Affine{{-1}, *std::move(values)};
      for (double& value : *values) value = -value;
      return Affine{{1}, *std::move(values)};
    case Op::div:
      if (operand == 1) return {};
      for (double& value : *values) value = 1 / value;
      return Affine{*std::move(values), {0}};
    default: return {};
  }
}

std::optional<Affine> of_batch_norm(const Rewriter& graph, const Node& node, size_t channels) {
  if (channels_of(graph, node) != channels) return {};
  const Values scale = graph.floats(node.inputs[1]), offset = graph.floats(node.inputs[2]),
               mean = graph.floats(node.inputs[3]), variance = graph.floats(node.inputs[4]);
  if (!scale || !offset || !mean || !variance) return {};
  Affine affine{*scale, *offset};
  for (size_t c = 0; c < scale->size(); ++c) {
    affine.factor[c] /= std::sqrt((*variance)[c] + node.attrs.real(Attr::epsilon));
    affine.term[c] -= (*mean)[c] * affine.factor[c];
  }
  return affine;
}

std::optional<Affine> of_scale(const Rewriter& graph, const Node& node, size_t channels) {
  const auto rank = int64_t(graph.shape(node.inputs[0]).size());
  const int64_t axis = node.attrs.integer(Attr::axis);
  if (size_t(axis < 0 ? axis + rank : axis) != channels || graph.shape(node.inputs[1]).size() > 1) return {};
  const Values factor = graph.floats(node.inputs[1]), term = graph.floats(node.inputs[2]);
  if (!factor || !term) return {};
  return Affine{*factor, *term};
}

std::optional<Affine> affine_of(const Rewriter& graph, const Node& node, size_t operand, size_t channels) {
  switch (node.op) {
    case Op::batch_norm: return operand == 0 ? of_batch_norm(graph, node, channels) : std::nullopt;
    case Op::scale: return operand == 0 ? of_scale(graph, node, channels) : std::nullopt;
    case Op::bias_add: {
      if (operand != 0 || channels_of(graph, node) != channels || graph.shape(node.inputs[1]).size() > 1)
        return {};
      const Values term = graph.floats(node.inputs[1]);
      return term ? std::optional(Affine{{1}, *term}) : std::nullopt;
    }
    default: return node.inputs.size() == 2 ? of_binary(graph, node, operand, channels) : std::nullopt;
  }
}

// The inputs of an operator that scale its output (weight or scales) and the bias. Dimension 0 of the former
// is the output channels, the output's last dimension.
struct ChannelInputs {
  size_t weight, bias;
};
ChannelInputs channel_inputs_of(const Node& node) {
  return node.op == Op::matmul_nbits ? ChannelInputs{2, 4} : ChannelInputs{1, 2};
}

bool has_foldable_channels(const Node& node) {
  switch (node.op) {
    case Op::conv2d:
    case Op::conv2d_transpose:
    case Op::depthwise_conv2d_native:
    case Op::full_connection:
    case Op::matmul_nbits: break;
    default: return false;
  }
  return !node.diagnosis && activation_of(node.attrs) == Activation::none;
}

// The operator's bias; empty if it is not constant.
Values bias_of(const Rewriter& graph, const Node& node, size_t channels) {
  const bool ignored = node.attrs.has(Attr::has_bias) && !node.attrs.flag(Attr::has_bias);
  const size_t bias = channel_inputs_of(node).bias;
  if (node.inputs.size() <= bias || ignored) return std::vector<double>(channels, 0);
  return graph.floats(node.inputs[bias]);
}

std::optional<Node> folded(Rewriter& graph, const Node& linear, const Affine& affine) {
  const ChannelInputs inputs = channel_inputs_of(linear);
  Values weight = graph.floats(linear.inputs[inputs.weight]);
  if (!weight) return {};
  const Shape weight_shape = graph.shape(linear.inputs[inputs.weight]);
  const auto channels = size_t(weight_shape[0]);
  Values bias = bias_of(graph, linear, channels);
  const auto fits = [&](const std::vector<double>& values) {
    return values.size() == 1 || values.size() == channels;
  };
  if (!bias || bias->size() != channels || !fits(affine.factor) || !fits(affine.term)) return {};
  const size_t of_channel = weight->size() / channels;
  for (size_t c = 0; c < channels; ++c) {
    const double factor = affine.factor_of(c);
    (*bias)[c] = (*bias)[c] * factor + affine.term_of(c);
    for (size_t i = c * of_channel; i < (c + 1) * of_channel; ++i) (*weight)[i] *= factor;
  }
  const Tensor model = graph.tensor(linear.inputs[inputs.weight]);
  const bool scales = std::ranges::any_of(affine.factor, [](double factor) { return factor != 1; });
  Node made = linear;
  if (scales) {
    const auto scaled = graph.add_floats(model, model.name + ", scaled", weight_shape, *weight);
    if (!scaled) return {};
    made.inputs[inputs.weight] = *scaled;
  }
  const auto shifted = graph.add_floats(model, model.name + ", bias", {int64_t(channels)}, *bias);
  if (!shifted) return {};
  made.inputs.resize(inputs.bias + 1);
  made.inputs[inputs.bias] = *shifted;
  if (made.attrs.has(Attr::has_bias)) made.attrs.set(Attr::has_bias, {DType::boolean, {1}, {}});
  return made;
}

}  // namespace

std::optional<Node> scale_of_batch_norm(Rewriter& graph, const Node& batch_norm) {
  const size_t last = graph.shape(batch_norm.inputs[0]).size() - 1;
  const std::optional<Affine> affine = of_batch_norm(graph, batch_norm, last);
  if (!affine) return {};
  const Tensor model = graph.tensor(batch_norm.inputs[1]);
  const Shape channels = graph.shape(batch_norm.inputs[1]);
  const auto factor = graph.add_floats(model, model.name + ", factor", channels, affine->factor);
  const auto term = graph.add_floats(model, model.name + ", term", channels, affine->term);
  if (!factor || !term) return {};
  Attrs attrs;
  attrs.set(Attr::axis, {.dtype = DType::i64, .integers = {-1}, .floats = {}});
  return Node{
      Op::scale, {batch_norm.inputs[0], *factor, *term}, {}, std::move(attrs), batch_norm.position, {}, {}};
}

bool fold_channels(Rewriter& graph, NodeId id) {
  const Node node = *graph.node(id);
  for (size_t operand = 0; operand < std::min<size_t>(node.inputs.size(), 2); ++operand) {
    const TensorId between = node.inputs[operand];
    const Node* linear = graph.writer(between);
    if (linear == nullptr || !graph.is_read_once(between) || !has_foldable_channels(*linear)) continue;
    const TensorId result = node.outputs[0];
    if (!graph.is_plain_float(between) || !graph.is_plain_float(result) ||
        graph.shape(result) != graph.shape(between) ||
        graph.tensor(result).dtype != graph.tensor(between).dtype) {
      continue;
    }
    const bool is_matrix = linear->op == Op::full_connection || linear->op == Op::matmul_nbits;
    const size_t channels = is_matrix ? graph.shape(between).size() - 1 : channels_of(graph, *linear);
    const std::optional<Affine> affine = affine_of(graph, node, operand, channels);
    if (!affine) continue;
    std::optional<Node> made = folded(graph, *linear, *affine);
    if (!made) continue;
    set_activation(made->attrs, activation_of(node.attrs));
    made->outputs = node.outputs;
    graph.replace(id, *std::move(made));
    return true;
  }
  return false;
}

}  // namespace nnrt::simplified
