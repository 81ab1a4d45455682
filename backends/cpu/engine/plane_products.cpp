#include "backends/cpu/engine/plane_products.h"

#include "core/graph/activation.h"
#include "core/passes/layout/nhwc_layout.h"
#include "core/passes/simplify/product_operands.h"

#include <algorithm>
#include <array>

namespace nnrt::cpu {
namespace {

using simplified::Rewriter;

bool has_only(const Attrs& attrs, Attr attr, int64_t value) {
  return !attrs.has(attr) ||
         std::ranges::all_of(attrs.integers(attr), [value](int64_t number) { return number == value; });
}

// One image, one filter of one tap, one result per pixel.
bool supports(const Rewriter& graph, const Node& conv) {
  const Shape &in = graph.shape(conv.inputs[0]), &weight = graph.shape(conv.inputs[1]);
  if (!is_static(in) || is_empty(in) || in[0] != 1 || weight != Shape{1, 1, 1, in[3]}) return false;
  if (graph.shape(conv.outputs[0]) != Shape{1, in[1], in[2], 1}) return false;
  if (!has_only(conv.attrs, Attr::stride, 1) || !has_only(conv.attrs, Attr::pad, 0)) return false;
  return std::ranges::all_of(std::array{conv.inputs[0], conv.inputs[1], conv.outputs[0]}, [&](TensorId id) {
    return graph.tensor(id).dtype == DType::f32 && graph.tensor(id).quant.empty();
  });
}

Node product_of(TensorId filter, TensorId planes, const Node& conv) {
  Node node{Op::matmul, {filter, planes}, {}, {}, conv.position, {}};
  for (const Attr attr : {Attr::transpose_a, Attr::transpose_b})
    node.attrs.set(attr, {DType::boolean, {0}, {}});
  set_activation(node.attrs, Activation::none);
  return node;
}

void multiply_planes(Rewriter& graph, NodeId id) {
  const Node* const found = graph.node(id);
  if (found == nullptr || found->diagnosis || found->op != Op::conv2d || !found->post_ops.empty()) return;
  const Node conv = *found;
  const TensorId data = conv.inputs[0];
  const Node* const first = graph.writer(data, Op::transpose);
  if (first == nullptr || !graph.is_read_once(data) || !supports(graph, conv)) return;
  const auto order = simplified::order_of(graph, *first);
  if (!order || !std::ranges::equal(*order, kToNhwc)) return;
  const TensorId source = first->inputs[0];
  if (!graph.same_values(source, data)) return;

  const Shape in = graph.shape(data), out = graph.shape(conv.outputs[0]);
  const Shape row{1, 1, 1, in[1] * in[2]};
  const TensorId planes = simplified::append_reshape(graph, source, {1, 1, in[3], row[3]}, conv);
  const Tensor model = graph.tensor(conv.outputs[0]);
  TensorId result = graph.append(product_of(conv.inputs[1], planes, conv), model, row);
  Node sum{Op::add, {result, conv.inputs[2]}, {}, {}, conv.position, {}};
  set_activation(sum.attrs, activation_of(conv.attrs));
  result = graph.append(std::move(sum), model, row);
  graph.replace(
      id,
      {Op::reshape, {result, simplified::add_shape(graph, out)}, conv.outputs, {}, conv.position, {}, {}});
}

}  // namespace

Graph with_plane_products(const Graph& graph) {
  Rewriter rewriter(graph);
  for (NodeId id = 0; id < rewriter.node_count(); ++id) multiply_planes(rewriter, id);
  return rewriter.take();
}

}  // namespace nnrt::cpu
