#include "core/graph/activation.h"
#include "core/passes/simplify/channel_scale.h"

#include <cfloat>

namespace nnrt::simplified {
namespace {

std::optional<Activation> as_activation(const Node& node) {
  if (node.op == Op::relu) return Activation::relu;
  if (node.op == Op::relu6) return Activation::relu6;
  if (node.op != Op::clip || node.attrs.real(Attr::min) != 0) return {};
  const double max = node.attrs.real(Attr::max);
  if (max == 6) return Activation::relu6;
  if (max >= double(FLT_MAX)) return Activation::relu;
  return {};
}

// An activation, and the single-reader node whose result it clamps.
struct ClampedNode {
  const Node* before;
  Activation activation;
};

std::optional<ClampedNode> clamped(const Rewriter& graph, const Node& node) {
  const std::optional<Activation> activation = as_activation(node);
  if (!activation || !graph.is_read_once(node.inputs[0]) || !graph.is_plain_float(node.inputs[0])) return {};
  const Node* const before = graph.writer(node.inputs[0]);
  if (before == nullptr || before->diagnosis || before->outputs.size() != 1) return {};
  return ClampedNode{before, *activation};
}

}  // namespace

// Merges two clamps to the intersection of their ranges.
bool fuse_activation(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const std::optional<ClampedNode> found = clamped(graph, node);
  if (!found || !found->before->attrs.has(Attr::activation)) return false;
  const Node* const before = found->before;
  Node fused = *before;
  set_activation(fused.attrs, std::max(activation_of(before->attrs), found->activation));
  fused.outputs = node.outputs;
  graph.replace(id, std::move(fused));
  return true;
}

// Replaces BATCH_NORM, which has no activation, by SCALE, which has one. Only for those that could not be
// folded into a convolution.
bool fuse_batch_norm_activation(Rewriter& graph, NodeId id) {
  const Node node = *graph.node(id);
  const std::optional<ClampedNode> found = clamped(graph, node);
  if (!found || found->before->op != Op::batch_norm) return false;
  std::optional<Node> scale = scale_of_batch_norm(graph, Node(*found->before));
  if (!scale) return false;
  set_activation(scale->attrs, found->activation);
  scale->outputs = node.outputs;
  graph.replace(id, *std::move(scale));
  return true;
}

}  // namespace nnrt::simplified
