#include "core/passes/fuse.h"

#include "core/graph/activation.h"
#include "core/platform/settings.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace nnrt {
namespace {

// Elementwise operators can be post-ops.
bool can_be_post_op(const OpSchema& row) { return row.is_elementwise() && !row.layout_dependent; }

// Returns whether broadcasting `other` to `result` keeps the shape of `result`.
bool broadcasts_to(const Shape& other, const Shape& result) {
  if (other.size() > result.size()) return false;
  for (size_t d = 1; d <= other.size(); ++d) {
    const int64_t size = other[other.size() - d];
    if (size != 1 && size != result[result.size() - d]) return false;
  }
  return true;
}

// Tensor shapes of a few sample runs: each unknown input dimension gets a different size in each, with
// different remainders on division. Sizes that agree in all samples are equal in every run. Empty if shapes
// are static, or depend on more than the inputs' shapes.
std::vector<std::vector<Shape>> sample_runs(const Graph& graph) {
  constexpr int64_t kFirst[] = {961, 1474, 1123, 2048};
  std::vector<std::vector<Shape>> runs;
  for (const int64_t first : kFirst) {
    int64_t size = first;
    std::vector<Shape> inputs;
    bool open = false;
    for (const TensorId id : graph.inputs) {
      Shape& shape = inputs.emplace_back(graph.shapes[id]);
      for (int64_t& dimension : shape) {
        if (dimension != kUnknown) continue;
        dimension = size;
        size += 257;
        open = true;
      }
    }
    if (!open) return {};
    auto shapes = infer_run(graph, inputs);
    if (!shapes.ok()) return {};
    runs.push_back(std::move(shapes).value());
  }
  return runs;
}

bool is_plain_float(const Tensor& tensor) { return kFloat.contains(tensor.dtype) && tensor.quant.empty(); }

std::optional<Op> activation_post_op(Attrs& attrs) {
  const Activation activation = activation_of(attrs);
  if (activation == Activation::none) return {};
  set_activation(attrs, Activation::none);
  return activation == Activation::relu ? Op::relu : Op::relu6;
}

class FusePass {
 public:
  FusePass(const Graph& graph, const FuseRules& rules)
      : graph_(graph),
        rules_(rules),
        reads_(graph.tensors.size(), 0),
        writer_(graph.tensors.size(), kNobody),
        fused_(graph.nodes.size()),
        sample_runs_(sample_runs(graph)) {
    for (const TensorId id : graph.outputs) ++reads_[id];
    for (const Node& node : graph.nodes) {
      for (const TensorId id : node.inputs) ++reads_[id];
    }
    for (NodeId id = 0; id < graph.nodes.size(); ++id) visit(id);
  }

  std::vector<Node> take() {
    std::vector<Node> nodes;
    for (std::optional<Node>& node : fused_) {
      if (node) nodes.push_back(*std::move(node));
    }
    return nodes;
  }

 private:
  static constexpr NodeId kNobody = ~NodeId{0};

  // Tries to fuse a node into the writer of its first operand, otherwise into that of the second.
  void visit(NodeId id) {
    const Node& node = graph_.nodes[id];
    for (size_t operand = 0; operand < node.inputs.size() && !fused_[id]; ++operand) {
      const NodeId writer = writer_[node.inputs[operand]];
      if (writer != kNobody && join(*fused_[writer], node, operand))
        fused_[id] = *std::exchange(fused_[writer], std::nullopt);
    }
    if (!fused_[id]) fused_[id] = node;
    if (can_lead(*fused_[id])) writer_[node.outputs[0]] = id;
  }

  // Returns whether the node's result is an intermediate with a single reader.
  bool can_lead(const Node& node) const {
    if (node.diagnosis || node.outputs.size() != 1) return false;
    return reads_[node.outputs[0]] == 1 && is_plain_float(graph_.tensors[node.outputs[0]]);
  }

  // Appends `node` as one or two post-ops to `first`, whose result is operand `operand` of it. Returns false
  // and leaves `first` unchanged if that is not possible.
  bool join(Node& first, const Node& node, size_t operand) const {
    if (node.diagnosis || !node.post_ops.empty() || !can_be_post_op(schema(node.op))) return false;
    if (first.post_ops.size() >= kMaxPostOps || !keeps_type(first.outputs[0], node)) return false;
    const size_t post_ops = first.post_ops.size(), inputs = first.inputs.size();
    PostOp post_op{.op = node.op, .attrs = node.attrs, .other = {}, .swapped = operand == 1};
    if (schema(node.op).family != Family::unary) {
      const TensorId other = node.inputs[1 - operand];
      if (!keeps_shape(first.outputs[0], other)) return false;
      post_op.other = uint32_t(inputs);
      first.inputs.push_back(other);
    }
    const std::optional<Op> activation = activation_post_op(post_op.attrs);
    first.post_ops.push_back(std::move(post_op));
    if (activation) first.post_ops.push_back({*activation, {}, {}, false});
    const std::vector<TensorId> outputs = std::exchange(first.outputs, node.outputs);
    if (rules_.supports(graph_, first)) {
      first.absorb(node);
      return true;
    }
    first.post_ops.erase(first.post_ops.begin() + ptrdiff_t(post_ops), first.post_ops.end());
    first.inputs.resize(inputs);
    first.outputs = outputs;
    return false;
  }

  // Returns whether `result` keeps its shape when combined with `other`, in every run.
  bool keeps_shape(TensorId result, TensorId other) const {
    const auto keeps = [&](std::span<const Shape> shapes) {
      return is_static(shapes[other]) && is_static(shapes[result]) &&
             broadcasts_to(shapes[other], shapes[result]);
    };
    const bool is_known = is_static(graph_.shapes[other]) && is_static(graph_.shapes[result]);
    if (is_known || sample_runs_.empty()) {
      const bool is_constant = graph_.tensors[other].is_constant();
      return (is_known || is_constant) && broadcasts_to(graph_.shapes[other], graph_.shapes[result]);
    }
    return std::ranges::all_of(sample_runs_, keeps);
  }

  // Returns whether all operands of the node have the intermediate's dtype and are not quantized.
  bool keeps_type(TensorId intermediate, const Node& node) const {
    const DType dtype = graph_.tensors[intermediate].dtype;
    for (const auto* tensors : {&node.inputs, &node.outputs}) {
      for (const TensorId id : *tensors) {
        if (graph_.tensors[id].dtype != dtype || !is_plain_float(graph_.tensors[id])) return false;
      }
    }
    return true;
  }

  const Graph& graph_;
  const FuseRules& rules_;
  std::vector<uint32_t> reads_;
  std::vector<NodeId> writer_;              // for possible intermediates: index in fused_
  std::vector<std::optional<Node>> fused_;  // at the position of their last part
  const std::vector<std::vector<Shape>> sample_runs_;
};

}  // namespace

Graph fuse(const Graph& graph, const FuseRules& rules) {
  Graph result = graph;
  if (fusing_is_on()) result.nodes = FusePass(graph, rules).take();
  return result;
}

bool fusing_is_on() {
  constexpr size_t kOn = 0;
  return setting_choice(Setting::fuse) == kOn;
}

}  // namespace nnrt
