#include "core/passes/normalize.h"

#include "core/base/text.h"
#include "core/passes/nhwc_layout.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace nnrt {
namespace {

// The operators whose kernels know NHWC only. (Movement operators, BATCH_NORM and their like follow the
// format.)
bool wants_nhwc(const Node& node) {
  const Family family = schema(node.op).family;
  return node.op == Op::lrn ||
         ((family == Family::gemm_conv || family == Family::pooling) && schema(node.op).layout_dependent);
}

bool is_nchw(const Tensor& tensor) { return tensor.format == Format::nchw && tensor.shape.size() == 4; }

Shape permuted(const Shape& shape, const std::array<int32_t, 4>& permutation) {
  Shape result;
  for (const int32_t from : permutation) result.push_back(shape[static_cast<size_t>(from)]);
  return result;
}

// Rewrites a graph node by node. An NCHW tensor may have an NHWC copy, the same data in NHWC; nodes that can
// work on NHWC copies do.
class LayoutPass {
 public:
  explicit LayoutPass(const Graph& graph) : graph_(graph), nhwc_copies_(graph.tensors.size()) {
    graph_.nodes.clear();
    for (const Node& node : graph.nodes) rewrite(node);
  }

  Graph take() { return std::move(graph_); }

 private:
  void rewrite(const Node& node) {
    if (node.diagnosis) {
      graph_.nodes.push_back(node);
    } else if (wants_nhwc(node) && is_nchw(graph_.tensors[node.inputs[0]])) {
      nhwc_copy_of(node.inputs[0], node.position);
      NhwcNode change{
          .data = std::vector<bool>(node.inputs.size(), false), .attrs = node.attrs, .operand = {}};
      change.data[0] = true;
      run_on_nhwc_copies(node, change);
    } else if (const auto change = to_nhwc_node(graph_, node); change && has_nhwc_copies(node, *change)) {
      run_on_nhwc_copies(node, *change);
    } else {
      graph_.nodes.push_back(node);
    }
  }

  // Returns whether the inputs to convert have NHWC copies or are constants, and not all are constants.
  bool has_nhwc_copies(const Node& node, const NhwcNode& change) const {
    bool any = false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!change.data[i]) continue;
      const Tensor& tensor = graph_.tensors[node.inputs[i]];
      if (tensor.is_constant() && tensor.shape.size() <= 4) continue;
      if (!nhwc_copies_[node.inputs[i]]) return false;
      any = true;
    }
    return any;
  }

  void run_on_nhwc_copies(const Node& node, const NhwcNode& change) {
    Node moved = node;
    moved.attrs = change.attrs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (change.data[i]) moved.inputs[i] = known_nhwc_copy(node.inputs[i]);
    }
    if (change.operand) moved.inputs[change.operand_index] = add(*change.operand, change.operand->shape);
    if (change.outputs) {
      for (TensorId& id : moved.outputs) id = add_nhwc_copy(id, kToNhwc);
    }
    graph_.nodes.push_back(std::move(moved));
    if (!change.outputs) return;
    // Whoever reads an NCHW tensor gets it from this transpose; if nobody does, it is dropped.
    for (const TensorId id : node.outputs) transpose(*nhwc_copies_[id], id, kToNchw, node.position);
  }

  // A constant is converted at once.
  TensorId known_nhwc_copy(TensorId id) {
    if (!nhwc_copies_[id]) {
      Tensor nhwc_copy = nhwc_constant(graph_.tensors[id]);
      const Shape shape = nhwc_copy.shape;
      const TensorId made = add(std::move(nhwc_copy), shape);
      nhwc_copies_[id] = made;
    }
    return *nhwc_copies_[id];
  }

  TensorId nhwc_copy_of(TensorId id, uint32_t position) {
    if (!nhwc_copies_[id]) transpose(id, add_nhwc_copy(id, kToNhwc), kToNhwc, position);
    return *nhwc_copies_[id];
  }

  TensorId add_nhwc_copy(TensorId id, const std::array<int32_t, 4>& permutation) {
    Tensor nhwc_copy = graph_.tensors[id];
    nhwc_copy.name += " as NHWC";
    nhwc_copy.shape = permuted(nhwc_copy.shape, permutation);
    nhwc_copy.format = Format::nhwc;
    nhwc_copy.data = nullptr;
    nhwc_copies_[id] = add(std::move(nhwc_copy), permuted(graph_.shapes[id], permutation));
    return *nhwc_copies_[id];
  }

  TensorId add(Tensor tensor, Shape shape) {
    graph_.tensors.push_back(std::move(tensor));
    graph_.shapes.push_back(std::move(shape));
    nhwc_copies_.emplace_back();
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }

  void transpose(TensorId from, TensorId to, const std::array<int32_t, 4>& permutation, uint32_t position) {
    graph_.nodes.push_back({Op::transpose, {from, permutation_tensor(permutation)}, {to}, {}, position, {}});
  }

  TensorId permutation_tensor(const std::array<int32_t, 4>& permutation) {
    std::optional<TensorId>& known = permutation == kToNhwc ? to_nhwc_ : to_nchw_;
    if (!known) {
      Bytes bytes(sizeof permutation);
      std::memcpy(bytes.data(), permutation.data(), bytes.size());
      Tensor tensor{
          permutation == kToNhwc ? "NCHW to NHWC" : "NHWC to NCHW", DType::i32, Format::none, {4}, {}, 0, {}};
      tensor.data = std::make_shared<const Bytes>(std::move(bytes));
      known = add(std::move(tensor), {4});
    }
    return *known;
  }

  Graph graph_;
  std::vector<std::optional<TensorId>> nhwc_copies_;
  std::optional<TensorId> to_nhwc_, to_nchw_;
};

// Nodes whose results reach no output go, except ASSERT, which is there for its side effect.
void drop_unread(Graph& graph) {
  std::vector<bool> wanted(graph.tensors.size(), false);
  for (const TensorId id : graph.outputs) wanted[id] = true;
  std::vector<Node> retained;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_read =
        std::any_of(node->outputs.begin(), node->outputs.end(), [&](TensorId id) { return wanted[id]; });
    if (!is_read && node->op != Op::assert_) continue;
    for (const TensorId id : node->inputs) wanted[id] = true;
    retained.push_back(std::move(*node));
  }
  std::reverse(retained.begin(), retained.end());
  graph.nodes = std::move(retained);
}

}  // namespace

GraphPtr normalize(const GraphPtr& graph) {
  Graph result = LayoutPass(*graph).take();
  drop_unread(result);
  return std::make_shared<const Graph>(std::move(result));
}

bool is_normalized(const Graph& graph, const Node& node) {
  return node.diagnosis || !wants_nhwc(node) || !is_nchw(graph.tensors[node.inputs[0]]);
}

bool is_normalized(const Graph& graph) {
  return std::ranges::all_of(graph.nodes, [&](const Node& node) { return is_normalized(graph, node); });
}

}  // namespace nnrt
