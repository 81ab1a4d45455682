#include "backends/vulkan/real_graph.h"

#include "backends/vulkan/lower/copied.h"
#include "backends/vulkan/lower/elementwise.h"
#include "backends/vulkan/lower/finish.h"
#include "backends/vulkan/lower/steps.h"
#include "core/node_view.h"
#include "core/rules.h"
#include "core/schema.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// What a node can do with real values in the place of codes.
enum class Kind : uint8_t {
  none,
  sum,     // reads them or codes, gives them
  pool,    // reads them or codes; gives them where it but chooses among them
  move,    // gives what it reads
  binary,  // gives what it reads, through the kernel of chains
};

Kind kind_of(Op op) {
  switch (op) {
    case Op::conv2d:
    case Op::conv2d_transpose:
    case Op::depthwise_conv2d_native:
    case Op::full_connection:
    case Op::matmul: return Kind::sum;
    case Op::avg_pool:
    case Op::max_pool: return Kind::pool;
    case Op::reshape:
    case Op::flatten:
    case Op::squeeze:
    case Op::unsqueeze:
    case Op::expand_dims:
    case Op::transpose:
    case Op::slice:
    case Op::concat:
    case Op::split:
    case Op::depth_to_space:
    case Op::space_to_depth: return Kind::move;
    case Op::add:
    case Op::sub:
    case Op::mul: return Kind::binary;
    default: return Kind::none;
  }
}

class RealPass {
 public:
  explicit RealPass(const Graph& graph)
      : own_tensors_(graph.tensors.size()),
        graph_(graph),
        values_(2 * own_tensors_, nullptr),
        wanted_(own_tensors_, false),
        is_real_(own_tensors_, false),
        has_codes_(own_tensors_, false) {
    for (const Node& node : graph.nodes) {
      if (kind_of(node.op) == Kind::none) continue;
      for (const TensorId id : node.inputs) wanted_[id] = true;
    }
    for (const TensorId id : graph.outputs) wanted_[id] = false;
    graph_.nodes.clear();
    graph_.tensors.resize(2 * own_tensors_);
    graph_.shapes.resize(2 * own_tensors_);
    for (const Node& node : graph.nodes) rewrite(node);
  }

  Graph take() { return std::move(graph_); }

 private:
  bool has_codes(TensorId id) const {
    const Tensor& tensor = graph_.tensors[id];
    return tensor.dtype == DType::i8 && tensor.quant.scales.size() == 1 && !tensor.is_constant();
  }
  bool is_wanted(TensorId id) const { return wanted_[id] && has_codes(id); }

  void rewrite(const Node& node) {
    Node moved = node;
    const bool quantized = !node.inputs.empty() && (is_real_[node.inputs[0]] || view(node).is_quantized());
    const Kind kind = quantized ? kind_of(node.op) : Kind::none;
    const bool gives = node.then.empty() && gives_reals(kind, moved);
    const bool reads = gives || kind == Kind::sum || kind == Kind::pool;
    if (!reads) {
      for (TensorId& id : moved.inputs) id = is_real_[id] ? codes_of(id, node.position) : id;
    }
    graph_.nodes.push_back(std::move(moved));
  }

  // If so, the node's outputs are real from here on, and it rounds them.
  bool gives_reals(Kind kind, Node& node) {
    if (!std::ranges::all_of(node.outputs, [&](TensorId id) { return is_wanted(id); })) return false;
    switch (kind) {
      case Kind::none: return false;
      case Kind::sum:
        return becomes_real(node, true, [](const NodeView& real) { return finish_of(real).ok(); });
      case Kind::pool:
        if (node.op != Op::max_pool || activation_of(view(node)) != 0) return false;
        return moves_reals(node, 1) && becomes_real(node, false, [](const NodeView&) { return true; });
      case Kind::move:
        return moves_reals(node, moved_inputs(node)) &&
               becomes_real(node, false, [](const NodeView&) { return true; });
      case Kind::binary:
        return std::ranges::all_of(node.inputs, [&](TensorId id) { return is_real_[id]; }) &&
               becomes_real(node, true, takes_chain);
    }
    return false;
  }

  // Whether its data, the first inputs, are real and quantized as its outputs are.
  bool moves_reals(const Node& node, size_t data) const {
    const Quant& quant = graph_.tensors[node.outputs[0]].quant;
    const auto alike = [&](TensorId id) { return graph_.tensors[id].quant == quant; };
    const auto is_real = [&](TensorId id) { return is_real_[id] && alike(id); };
    return std::ranges::all_of(node.outputs, alike) &&
           std::all_of(node.inputs.begin(), node.inputs.begin() + ptrdiff_t(data), is_real);
  }

  template <typename Takes>
  bool becomes_real(Node& node, bool rounds, const Takes& takes) {
    for (const TensorId id : node.outputs) graph_.tensors[id].dtype = DType::f32;
    if (rounds) node.then.push_back({Op::quant_dtype_cast, {}, {}, false});
    const bool taken = takes(view(node));
    for (const TensorId id : node.outputs) {
      is_real_[id] = taken;
      if (!taken) graph_.tensors[id].dtype = DType::i8;
    }
    if (!taken && rounds) node.then.pop_back();
    return taken;
  }

  TensorId codes_of(TensorId id, uint32_t position) {
    const auto codes = TensorId(own_tensors_ + id);
    if (!has_codes_[id]) {
      Tensor tensor = graph_.tensors[id];
      tensor.name += " as codes";
      tensor.dtype = DType::i8;
      graph_.tensors[codes] = std::move(tensor);
      graph_.shapes[codes] = graph_.shapes[id];
      graph_.nodes.push_back({Op::quant_dtype_cast, {id}, {codes}, {}, position, {}});
    }
    has_codes_[id] = true;
    return codes;
  }

  NodeView view(const Node& node) const { return {graph_, node, graph_.shapes, values_}; }

  const size_t own_tensors_;
  Graph graph_;
  const std::vector<const std::byte*> values_;
  // By the tensors of the original graph: whether one of its readers can do with real values, whether it is
  // real, whether there are codes of it as well.
  std::vector<bool> wanted_, is_real_, has_codes_;
};

}  // namespace

Graph with_reals(const Graph& graph, const DevicePlan& plan) {
  const bool has_codes = std::ranges::any_of(
      graph.tensors, [](const Tensor& tensor) { return tensor.dtype == DType::i8 && !tensor.quant.empty(); });
  if (!has_codes || !plan.is_software || plan.packed_dots) return graph;
  return RealPass(graph).take();
}

}  // namespace nnrt::vulkan
