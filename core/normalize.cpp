#include "core/normalize.h"

#include "core/schema.h"
#include "core/text.h"
#include "core/turned.h"

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
         ((family == Family::linear || family == Family::window) && schema(node.op).layout_dependent);
}

bool is_nchw(const Tensor& tensor) { return tensor.format == Format::nchw && tensor.shape.size() == 4; }

Shape permuted(const Shape& shape, const std::array<int32_t, 4>& permutation) {
  Shape result;
  for (const int32_t from : permutation) result.push_back(shape[static_cast<size_t>(from)]);
  return result;
}

// Rewrites a graph node by node. An NCHW tensor may have a twin, the same data in NHWC; nodes that can work
// on twins do.
class LayoutPass {
 public:
  explicit LayoutPass(const Graph& graph) : graph_(graph), twins_(graph.tensors.size()) {
    graph_.nodes.clear();
    for (const Node& node : graph.nodes) rewrite(node);
  }

  Graph take() { return std::move(graph_); }

 private:
  void rewrite(const Node& node) {
    if (node.diagnosis) {
      graph_.nodes.push_back(node);
    } else if (wants_nhwc(node) && is_nchw(graph_.tensors[node.inputs[0]])) {
      twin_of(node.inputs[0], node.position);
      Turned change{.data = std::vector<bool>(node.inputs.size(), false), .attrs = node.attrs, .operand = {}};
      change.data[0] = true;
      run_on_twins(node, change);
    } else if (const auto change = turned(graph_, node); change && has_twins(node, *change)) {
      run_on_twins(node, *change);
    } else {
      graph_.nodes.push_back(node);
    }
  }

  // Whether the inputs that would be turned have twins or are constants, and not all are constants.
  bool has_twins(const Node& node, const Turned& change) const {
    bool any = false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!change.data[i]) continue;
      const Tensor& tensor = graph_.tensors[node.inputs[i]];
      if (tensor.is_constant() && tensor.shape.size() <= 4) continue;
      if (!twins_[node.inputs[i]]) return false;
      any = true;
    }
    return any;
  }

  void run_on_twins(const Node& node, const Turned& change) {
    Node moved = node;
    moved.attrs = change.attrs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (change.data[i]) moved.inputs[i] = known_twin(node.inputs[i]);
    }
    if (change.operand) moved.inputs[change.place] = add(*change.operand, change.operand->shape);
    if (change.outputs) {
      for (TensorId& id : moved.outputs) id = add_twin(id, kToNhwc);
    }
    graph_.nodes.push_back(std::move(moved));
    if (!change.outputs) return;
    // Whoever reads an NCHW tensor gets it from this transpose; if nobody does, it is dropped.
    for (const TensorId id : node.outputs) transpose(*twins_[id], id, kToNchw, node.position);
  }

  // A constant is turned here and now.
  TensorId known_twin(TensorId id) {
    if (!twins_[id]) {
      Tensor twin = turned_constant(graph_.tensors[id]);
      const Shape shape = twin.shape;
      const TensorId made = add(std::move(twin), shape);
      twins_[id] = made;
    }
    return *twins_[id];
  }

  TensorId twin_of(TensorId id, uint32_t position) {
    if (!twins_[id]) transpose(id, add_twin(id, kToNhwc), kToNhwc, position);
    return *twins_[id];
  }

  TensorId add_twin(TensorId id, const std::array<int32_t, 4>& permutation) {
    Tensor twin = graph_.tensors[id];
    twin.name += " as NHWC";
    twin.shape = permuted(twin.shape, permutation);
    twin.format = Format::nhwc;
    twin.data = nullptr;
    twins_[id] = add(std::move(twin), permuted(graph_.shapes[id], permutation));
    return *twins_[id];
  }

  TensorId add(Tensor tensor, Shape shape) {
    graph_.tensors.push_back(std::move(tensor));
    graph_.shapes.push_back(std::move(shape));
    twins_.emplace_back();
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
  std::vector<std::optional<TensorId>> twins_;
  std::optional<TensorId> to_nhwc_, to_nchw_;
};

// Nodes whose results reach no output go, except ASSERT, which is there for its side effect.
void drop_unread(Graph& graph) {
  std::vector<bool> wanted(graph.tensors.size(), false);
  for (const TensorId id : graph.outputs) wanted[id] = true;
  std::vector<Node> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_read =
        std::any_of(node->outputs.begin(), node->outputs.end(), [&](TensorId id) { return wanted[id]; });
    if (!is_read && node->op != Op::assert_) continue;
    for (const TensorId id : node->inputs) wanted[id] = true;
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
}

}  // namespace

GraphPtr normalize(const GraphPtr& graph) {
  Graph result = LayoutPass(*graph).take();
  drop_unread(result);
  return std::make_shared<const Graph>(std::move(result));
}

bool is_normalized(const Graph& graph) {
  return std::ranges::none_of(graph.nodes, [&](const Node& node) {
    return !node.diagnosis && wants_nhwc(node) && is_nchw(graph.tensors[node.inputs[0]]);
  });
}

}  // namespace nnrt
