#include "backends/cpu/engine/post_ops.h"

#include "backends/cpu/base/element.h"
#include "backends/cpu/engine/widened_halves.h"
#include "backends/cpu/simd/elementwise_loops.h"
#include "core/graph/activation.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

// Returns whether the node can absorb `step` as its activation attribute.
bool joins(const PostOp& step, Attrs& attrs) {
  if (step.op != Op::relu && step.op != Op::relu6) return false;
  if (!attrs.has(Attr::activation) || attrs.integer(Attr::activation) != 0) return false;
  const Activation activation = step.op == Op::relu ? Activation::relu : Activation::relu6;
  set_activation(attrs, activation);
  return true;
}

// Kernels whose epilogue computes post-ops: all that store through GemmOutput. FLOAT16 nodes will be widened.
bool is_f32_gemm(const Graph& graph, const Node& node) {
  switch (node.op) {
    case Op::conv2d:
    case Op::conv2d_transpose:
    case Op::depthwise_conv2d_native:
      if (is_widened(graph, node)) return true;
      [[fallthrough]];
    case Op::conv3d:
    case Op::full_connection:
    case Op::matmul:
    case Op::matmul_nbits: return graph.tensors[node.outputs[0]].dtype == DType::f32;
    default: return false;
  }
}

}  // namespace

FuseRules fuse_rules() {
  return {[](const Graph& graph, const Node& fused) {
    if (is_f32_gemm(graph, fused)) return computes_post_ops(graph, fused);
    return kernel(fused.op) != nullptr && kernel(fused.post_ops.back().op) != nullptr &&
           !only_reshapes(fused.op);
  }};
}

bool computes_post_ops(const Graph& graph, const Node& node) {
  const Shape& result = graph.shapes[node.outputs[0]];
  return is_f32_gemm(graph, node) && std::ranges::all_of(node.post_ops, [&](const PostOp& step) {
           return supports_post_op(step) && (!step.other || graph.shapes[node.inputs[*step.other]] == result);
         });
}

std::vector<PostOpNode> post_op_nodes_of(const Node& node) {
  std::vector<PostOpNode> all;
  for (const PostOp& step : node.post_ops) {
    if (!all.empty() && joins(step, all.back().node.attrs)) continue;
    PostOpNode& made = all.emplace_back();
    made.other = step.other;
    made.swapped = step.swapped;
    made.node.op = step.op;
    made.node.attrs = step.attrs;
    made.node.position = node.position;
    made.node.inputs = made.node.outputs = node.outputs;
    if (step.other)
      made.node.inputs.insert(made.node.inputs.begin() + (step.swapped ? 0 : 1), node.inputs[*step.other]);
  }
  return all;
}

Status run_post_op(const PostOpNode& step, const NodeView& view, std::span<const std::byte* const> in,
                   std::byte* result, ThreadPool& pool) {
  const std::byte* const other = step.other ? in[*step.other] : nullptr;
  const std::byte* const operands[] = {step.swapped ? other : result, step.swapped ? result : other};
  std::byte* const out[] = {result};
  return kernel(step.node.op)({view, std::span(operands).first(step.node.inputs.size()), out, pool});
}

}  // namespace nnrt::cpu
