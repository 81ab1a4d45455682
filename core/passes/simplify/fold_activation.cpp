#include "core/graph/activation.h"
#include "core/passes/simplify/rewriter.h"

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

}  // namespace

// Two clamps become one to the narrower range.
bool fuse_activation(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const std::optional<Activation> activation = as_activation(node);
  if (!activation || !graph.is_read_once(node.inputs[0]) || !graph.is_plain_float(node.inputs[0]))
    return false;
  const Node* before = graph.writer(node.inputs[0]);
  if (before == nullptr || before->diagnosis || !before->attrs.has(Attr::activation)) return false;
  if (before->outputs.size() != 1) return false;
  Node fused = *before;
  set_activation(fused.attrs, std::max(activation_of(before->attrs), *activation));
  fused.outputs = node.outputs;
  graph.replace(id, std::move(fused));
  return true;
}

}  // namespace nnrt::simplified
