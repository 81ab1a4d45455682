#include "backends/cpu/engine/plane_pools.h"

#include "core/passes/layout/nhwc_layout.h"
#include "core/passes/simplify/product_operands.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

using simplified::Rewriter;

bool has_order(const Rewriter& graph, const Node& node, const std::array<int32_t, 4>& order) {
  if (node.op != Op::transpose) return false;
  const auto found = simplified::order_of(graph, node);
  return found && std::ranges::equal(*found, order);
}

bool is_global(const Node& pool) { return pool.attrs.has(Attr::global) && pool.attrs.flag(Attr::global); }

// `in` and `out` are NHWC.
bool pays_off(const Node& pool, const Shape& in, const Shape& out) {
  constexpr int64_t kMinWidth = 16;  // pixels that fill a vector
  if (is_global(pool)) return true;
  if (!pool.attrs.has(Attr::kernel) || in[2] < 0 || pool.attrs.integers(Attr::kernel).back() > in[2])
    return false;
  return out[2] >= kMinWidth || (in[3] >= 0 && in[3] < kMinWidth);
}

// INT8 planes are only reduced entirely.
bool supports(const Node& pool, const Tensor& data) {
  if (data.dtype == DType::i8) return is_global(pool) && data.quant.scales.size() == 1;
  return data.dtype == DType::f32 && data.quant.empty();
}

// Returns whether a transpose between the tensors changes no value.
bool have_same_values(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && a.quant == b.quant && a.quant.ties_to_even == b.quant.ties_to_even;
}

void pool_planes(Rewriter& graph, NodeId id) {
  const Node* const last = graph.node(id);
  if (last == nullptr || last->diagnosis || !has_order(graph, *last, kToNchw)) return;
  const TensorId result = last->inputs[0];
  const Node* const pool = graph.writer(result);
  if (pool == nullptr || pool->diagnosis || (pool->op != Op::avg_pool && pool->op != Op::max_pool)) return;
  const TensorId data = pool->inputs[0];
  const Node* const first = graph.writer(data, Op::transpose);
  if (first == nullptr || !has_order(graph, *first, kToNhwc)) return;
  if (!graph.is_read_once(result) || !graph.is_read_once(data)) return;
  if (!supports(*pool, graph.tensor(data)) || graph.tensor(result).dtype != graph.tensor(data).dtype) return;
  if (!have_same_values(graph.tensor(first->inputs[0]), graph.tensor(data)) ||
      !have_same_values(graph.tensor(result), graph.tensor(last->outputs[0])))
    return;
  if (!pays_off(*pool, graph.shape(data), graph.shape(result))) return;
  Node made = *pool;
  made.inputs[0] = first->inputs[0];
  made.outputs = last->outputs;
  made.format = Format::nchw;
  graph.replace(id, std::move(made));
}

}  // namespace

Graph with_plane_pools(const Graph& graph) {
  Rewriter rewriter(graph);
  for (NodeId id = 0; id < rewriter.node_count(); ++id) pool_planes(rewriter, id);
  return rewriter.take();
}

}  // namespace nnrt::cpu
