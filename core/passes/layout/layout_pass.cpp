#include "core/passes/layout/layout_pass.h"

#include "core/passes/layout/nhwc_layout.h"
#include "core/passes/layout/stored_order.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

namespace nnrt {
namespace {

const Order kNhwcOrder(kToNhwc.begin(), kToNhwc.end());
const Order kNchwOrder(kToNchw.begin(), kToNchw.end());

template <typename T>
Tensor constant(const std::string& name, DType dtype, const std::vector<int64_t>& values) {
  const std::vector<T> numbers(values.begin(), values.end());
  Bytes bytes(numbers.size() * sizeof(T));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  Tensor tensor{name, dtype, Format::none, {int64_t(numbers.size())}, {}, 0, {}};
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  return tensor;
}

// The permutation of a TRANSPOSE, if known.
std::optional<Order> permutation_of(const Graph& graph, const Node& transpose) {
  auto permutation = constant_integers(graph, transpose, 1);
  const auto rank = int64_t(graph.shapes[transpose.inputs[0]].size());
  if (!permutation || int64_t(permutation->size()) != rank) return std::nullopt;
  for (int64_t& dimension : *permutation) dimension += dimension < 0 ? rank : 0;
  Order sorted = *permutation;
  std::ranges::sort(sorted);
  for (int64_t d = 0; d < rank; ++d)
    if (sorted[size_t(d)] != d) return std::nullopt;
  return permutation;
}

// Rewrites a graph node by node. An NCHW tensor may have an NHWC copy; nodes that can work on NHWC copies use
// those. Tensors of other ranks may be stored in such a copy too, in another order.
class LayoutPass {
 public:
  LayoutPass(const Graph& graph, const LayoutChoice& choice)
      : graph_(graph), choice_(choice), known_(graph.tensors.size()) {
    for (const TensorId id : choice.converted) known_[id].is_converted = true;
    graph_.nodes.clear();
    for (const Node& node : graph.nodes) rewrite(node);
    find_convertible(graph.nodes);
  }

  ConvertedGraph take() { return {std::move(graph_), has_followed_, std::move(convertible_)}; }

 private:
  // The tensor's elements are stored in `data`, in this order.
  struct StoredCopy {
    TensorId data = 0;
    Order order;
    bool in_nhwc_copy = false;  // otherwise the input of a TRANSPOSE in the model
  };

  struct TensorLayout {
    std::optional<TensorId> nhwc_copy;
    std::optional<StoredCopy> stored;
    bool is_converted = false;
    bool is_convertible = false;  // from `stored` of its node's input, or its own
    bool can_follow = false;      // would be NHWC if all preceding convertible tensors were converted
    bool is_wanted = false;       // as NHWC, by a later node
  };

  void rewrite(const Node& node) {
    if (node.diagnosis) {
      graph_.nodes.push_back(node);
      return;
    }
    if (wants_nhwc(node) && is_nchw(graph_.tensors[node.inputs[0]])) {
      nhwc_copy_of(node.inputs[0], node.position);
      NhwcNode change{
          .data = std::vector<bool>(node.inputs.size(), false), .attrs = node.attrs, .operand = {}};
      change.data[0] = true;
      run_on_nhwc_copies(node, change);
      return;
    }
    const auto change = to_nhwc_node(graph_, node);
    if (change && has_nhwc_copies(node, *change, false)) {
      run_on_nhwc_copies(node, *change);
      return;
    }
    if (change && change->outputs && has_nhwc_copies(node, *change, true)) {
      for (const TensorId id : node.outputs) known_[id].can_follow = true;
    }
    if (node.op == Op::transpose) {
      rewrite_transpose(node);
    } else {
      graph_.nodes.push_back(node);
      if (only_reshapes(node.op)) follow_reshape(node);
    }
  }

  // Returns whether the inputs to convert have (or could have) NHWC copies or are constants, and are not all
  // constants.
  bool has_nhwc_copies(const Node& node, const NhwcNode& change, bool or_could) const {
    bool any = false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!change.data[i]) continue;
      const Tensor& tensor = graph_.tensors[node.inputs[i]];
      if (tensor.is_constant() && tensor.shape.size() <= 4) continue;
      const TensorLayout& known = known_[node.inputs[i]];
      if (!known.nhwc_copy && !(or_could && known.can_follow)) return false;
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
      for (TensorId& id : moved.outputs) id = add_nhwc_copy(id);
    }
    graph_.nodes.push_back(std::move(moved));
    if (!change.outputs) return;
    // Readers of the NCHW tensor use this transpose; it is dropped if there are none.
    for (const TensorId id : node.outputs) transpose(*known_[id].nhwc_copy, id, kNchwOrder, node.position);
  }

  // Transposes directly from an NHWC copy, so that the NCHW tensor is not needed.
  void rewrite_transpose(const Node& node) {
    const auto permutation = permutation_of(graph_, node);
    const TensorId from = node.inputs[0], to = node.outputs[0];
    if (!choice_.follows_reshapes || !permutation || !are_alike(from, to)) {
      graph_.nodes.push_back(node);
      return;
    }
    const StoredCopy source = stored(from);
    if (source.in_nhwc_copy && !is_in_place(*permutation)) {
      has_followed_ = true;
      transpose(source.data, to, permutation_between(source.order, *permutation), node.position);
    } else {
      graph_.nodes.push_back(node);
    }
    known_[to].stored =
        StoredCopy{source.data, order_behind_transpose(*permutation, source.order), source.in_nhwc_copy};
    find_conversion(node);
  }

  // Keeps the RESHAPE, and adds another one of the NHWC copy if possible.
  void follow_reshape(const Node& node) {
    const TensorId from = node.inputs[0], to = node.outputs[0];
    if (!choice_.follows_reshapes || !are_alike(from, to)) return;
    const StoredCopy source = stored(from);
    const auto order = source.in_nhwc_copy
                           ? order_behind_reshape(graph_.shapes[from], source.order, graph_.shapes[to])
                           : std::nullopt;
    if (!order) {
      find_conversion(node);
      return;
    }
    const bool is_nhwc = *order == kNhwcOrder;
    const TensorId made = add_in_order(to, *order, is_nhwc ? Format::nhwc : Format::none);
    reshape(source.data, made, node.position);
    has_followed_ = true;
    if (is_nhwc) {
      known_[to].nhwc_copy = made;
    } else {
      known_[to].stored = StoredCopy{made, *order, true};
    }
  }

  // Converts the node's result to NHWC with a TRANSPOSE of its own, or records that this is possible.
  void find_conversion(const Node& node) {
    const TensorId to = node.outputs[0];
    const TensorId from = node.op == Op::transpose ? to : node.inputs[0];
    const std::optional<StoredCopy> source = known_[from].stored;
    if (!source || graph_.shapes[to].size() != kNhwcOrder.size() || known_[to].nhwc_copy) return;
    const auto order = order_behind_reshape(graph_.shapes[to], kNhwcOrder, graph_.shapes[from]);
    if (!order) return;
    known_[to].is_convertible = known_[to].can_follow = true;
    if (!known_[to].is_converted) return;
    const Order permutation = permutation_between(source->order, *order);
    TensorId data = source->data;
    if (from == to) {
      transpose(data, add_nhwc_copy(to), permutation, node.position);
      return;
    }
    if (!is_in_place(permutation)) {
      const TensorId moved = add_in_order(from, *order, Format::none);
      transpose(data, moved, permutation, node.position);
      data = moved;
    }
    reshape(data, add_nhwc_copy(to), node.position);
  }

  StoredCopy stored(TensorId id) const {
    const TensorLayout& known = known_[id];
    if (known.nhwc_copy) return {*known.nhwc_copy, kNhwcOrder, true};
    if (known.stored) return *known.stored;
    Order order(graph_.shapes[id].size());
    std::iota(order.begin(), order.end(), 0);
    return {id, std::move(order), false};
  }

  // Returns whether both have the same dtype and quantization.
  bool are_alike(TensorId a, TensorId b) const {
    return graph_.tensors[a].dtype == graph_.tensors[b].dtype &&
           graph_.tensors[a].quant == graph_.tensors[b].quant;
  }

  // Walks back from tensors wanted as NHWC to the convertible tensors they depend on.
  void find_convertible(const std::vector<Node>& nodes) {
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const bool is_wanted =
          std::ranges::any_of(node->outputs, [&](TensorId id) { return known_[id].is_wanted; });
      if (!is_wanted || node->diagnosis) continue;
      if (known_[node->outputs[0]].is_convertible) {
        convertible_.push_back(node->outputs[0]);
        continue;
      }
      for (const TensorId id : node->inputs) known_[id].is_wanted = known_[id].can_follow;
    }
  }

  // Constants are converted immediately.
  TensorId known_nhwc_copy(TensorId id) {
    if (!known_[id].nhwc_copy) {
      Tensor nhwc_copy = nhwc_constant(graph_.tensors[id]);
      const Shape shape = nhwc_copy.shape;
      const TensorId made = add(std::move(nhwc_copy), shape);
      known_[id].nhwc_copy = made;
    }
    return *known_[id].nhwc_copy;
  }

  TensorId nhwc_copy_of(TensorId id, uint32_t position) {
    TensorLayout& known = known_[id];
    if (known.nhwc_copy) return *known.nhwc_copy;
    known.is_wanted = known.can_follow;
    const TensorId made = add_nhwc_copy(id);
    transpose(id, made, kNhwcOrder, position);
    return made;
  }

  TensorId add_nhwc_copy(TensorId id) {
    const TensorId made = add_in_order(id, kNhwcOrder, Format::nhwc);
    known_[id].nhwc_copy = made;
    return made;
  }

  TensorId add_in_order(TensorId id, const Order& order, Format format) {
    Tensor tensor = graph_.tensors[id];
    tensor.name += " as NHWC";
    const Shape& declared = tensor.shape.size() == order.size() ? tensor.shape : graph_.shapes[id];
    tensor.shape = in_order(declared, order);
    tensor.format = format;
    tensor.data = nullptr;
    return add(std::move(tensor), in_order(graph_.shapes[id], order));
  }

  TensorId add(Tensor tensor, Shape shape) {
    graph_.tensors.push_back(std::move(tensor));
    graph_.shapes.push_back(std::move(shape));
    known_.emplace_back();
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }

  void transpose(TensorId from, TensorId to, const Order& permutation, uint32_t position) {
    graph_.nodes.push_back({Op::transpose, {from, permutation_tensor(permutation)}, {to}, {}, position, {}});
  }

  void reshape(TensorId from, TensorId to, uint32_t position) {
    const Shape shape = graph_.shapes[to];
    const TensorId operand =
        add(constant<int64_t>("shape as NHWC", DType::i64, shape), {int64_t(shape.size())});
    graph_.nodes.push_back({Op::reshape, {from, operand}, {to}, {}, position, {}});
  }

  TensorId permutation_tensor(const Order& permutation) {
    const auto known = permutations_.find(permutation);
    if (known != permutations_.end()) return known->second;
    const std::string name = permutation == kNhwcOrder   ? "NCHW to NHWC"
                             : permutation == kNchwOrder ? "NHWC to NCHW"
                                                         : "permutation as NHWC";
    const TensorId made =
        add(constant<int32_t>(name, DType::i32, permutation), {int64_t(permutation.size())});
    permutations_.emplace(permutation, made);
    return made;
  }

  Graph graph_;
  const LayoutChoice& choice_;
  std::vector<TensorLayout> known_;  // by tensor
  std::map<Order, TensorId> permutations_;
  bool has_followed_ = false;
  std::vector<TensorId> convertible_;
};

}  // namespace

bool wants_nhwc(const Node& node) {
  const Family family = schema(node.op).family;
  return node.op == Op::lrn ||
         ((family == Family::gemm_conv || family == Family::pooling) && schema(node.op).layout_dependent);
}

bool is_nchw(const Tensor& tensor) { return tensor.format == Format::nchw && tensor.shape.size() == 4; }

ConvertedGraph convert_to_nhwc(const Graph& graph, const LayoutChoice& choice) {
  return LayoutPass(graph, choice).take();
}

}  // namespace nnrt
