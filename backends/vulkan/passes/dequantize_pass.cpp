#include "backends/vulkan/passes/dequantize_pass.h"

#include "backends/vulkan/lower/data_movement/requantized_inputs.h"
#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "backends/vulkan/lower/elementwise/requantization.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "backends/vulkan/passes/fusable_steps.h"
#include "core/schema/node_view.h"
#include "core/schema/rules.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// How a node can work on dequantized tensors.
enum class Kind : uint8_t {
  none,
  sum,     // reads dequantized or quantized values, writes dequantized ones
  pool,    // reads either; writes dequantized values if it only selects among its inputs
  move,    // writes the form that it reads
  binary,  // writes the form that it reads, by the fused elementwise kernel
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

class DequantizePass {
 public:
  explicit DequantizePass(const Graph& graph)
      : own_tensors_(graph.tensors.size()),
        graph_(graph),
        values_(2 * own_tensors_, nullptr),
        wanted_(own_tensors_, false),
        is_dequantized_(own_tensors_, false),
        has_quantized_(own_tensors_, false) {
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
  bool has_quantized(TensorId id) const {
    const Tensor& tensor = graph_.tensors[id];
    return tensor.dtype == DType::i8 && tensor.quant.scales.size() == 1 && !tensor.is_constant();
  }
  bool is_wanted(TensorId id) const { return wanted_[id] && has_quantized(id); }

  void rewrite(const Node& node) {
    Node rewritten = node;
    const bool quantized =
        !node.inputs.empty() && (is_dequantized_[node.inputs[0]] || view(node).is_quantized());
    const bool has_sums = !node.outputs.empty() && graph_.tensors[node.outputs[0]].dtype == DType::i32;
    const Kind kind = quantized && !has_sums ? kind_of(node.op) : Kind::none;
    const bool gives = node.post_ops.empty() && gives_dequantized(kind, rewritten);
    const bool reads = gives || (is_either(kind) && computes_on_steps(view(node)));
    if (!reads) {
      for (TensorId& id : rewritten.inputs) id = is_dequantized_[id] ? quantized_of(id, node.position) : id;
    }
    graph_.nodes.push_back(std::move(rewritten));
  }

  static bool is_either(Kind kind) { return kind == Kind::sum || kind == Kind::pool; }

  // If possible, dequantizes the node's outputs and makes the node round them.
  bool gives_dequantized(Kind kind, Node& node) {
    if (!std::ranges::all_of(node.outputs, [&](TensorId id) { return is_wanted(id); })) return false;
    switch (kind) {
      case Kind::none: return false;
      case Kind::sum:
        return becomes_dequantized(node, true, [](const NodeView& real) { return epilogue_of(real).ok(); });
      case Kind::pool:
        if (node.op != Op::max_pool || activation_of(view(node)) != 0) return false;
        return copies_dequantized(node, 1) &&
               becomes_dequantized(node, false, [](const NodeView&) { return true; });
      case Kind::move:
        return copies_dequantized(node, data_inputs(node)) &&
               becomes_dequantized(node, false, [](const NodeView&) { return true; });
      case Kind::binary:
        return std::ranges::all_of(node.inputs, [&](TensorId id) { return is_dequantized_[id]; }) &&
               becomes_dequantized(node, true, supports_fused_elementwise);
    }
    return false;
  }

  // Returns whether the first `data` inputs are dequantized and have the quantization of the output.
  bool copies_dequantized(const Node& node, size_t data) const {
    const Quant& quant = graph_.tensors[node.outputs[0]].quant;
    const auto alike = [&](TensorId id) { return graph_.tensors[id].quant == quant; };
    const auto is_dequantized = [&](TensorId id) { return is_dequantized_[id] && alike(id); };
    return std::ranges::all_of(node.outputs, alike) &&
           std::all_of(node.inputs.begin(), node.inputs.begin() + ptrdiff_t(data), is_dequantized);
  }

  template <typename Supports>
  bool becomes_dequantized(Node& node, bool rounds, const Supports& supports) {
    for (const TensorId id : node.outputs) graph_.tensors[id].dtype = DType::f32;
    if (rounds) node.post_ops.push_back({Op::quant_dtype_cast, {}, {}, false});
    const bool taken = supports(view(node));
    for (const TensorId id : node.outputs) {
      is_dequantized_[id] = taken;
      if (!taken) graph_.tensors[id].dtype = DType::i8;
    }
    if (!taken && rounds) node.post_ops.pop_back();
    return taken;
  }

  TensorId quantized_of(TensorId id, uint32_t position) {
    const auto quantized = TensorId(own_tensors_ + id);
    if (!has_quantized_[id]) {
      Tensor tensor = graph_.tensors[id];
      tensor.name += " quantized";
      tensor.dtype = DType::i8;
      graph_.tensors[quantized] = std::move(tensor);
      graph_.shapes[quantized] = graph_.shapes[id];
      Node cast{Op::quant_dtype_cast, {id}, {quantized}, {}, position, {}};
      cast.post_ops.push_back({Op::quant_dtype_cast, {}, {}, false});
      graph_.nodes.push_back(std::move(cast));
    }
    has_quantized_[id] = true;
    return quantized;
  }

  NodeView view(const Node& node) const { return {graph_, node, graph_.shapes, values_}; }

  const size_t own_tensors_;
  Graph graph_;
  const std::vector<const std::byte*> values_;
  // Per tensor of the original graph: whether a reader can use it dequantized, whether it is dequantized, and
  // whether it also exists quantized.
  std::vector<bool> wanted_, is_dequantized_, has_quantized_;
};

}  // namespace

WhyNot why_not_dequantized(const Graph& graph, const DevicePlan& plan) {
  const bool has_quantized = std::ranges::any_of(
      graph.tensors, [](const Tensor& tensor) { return tensor.dtype == DType::i8 && !tensor.quant.empty(); });
  if (!has_quantized) return "It has no quantized tensors.";
  if (!plan.is_software) return WhyNot::slower("GPUs convert quantized values fast.");
  const bool multiplies = plan.int8_dot || plan.matrices.int8.rows > 0;
  return multiplies ? WhyNot::slower("The device has kernels for quantized products.") : WhyNot();
}

Graph with_dequantized(const Graph& graph) { return DequantizePass(graph).take(); }

}  // namespace nnrt::vulkan
