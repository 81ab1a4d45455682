#include "backends/cpu/engine/steps/scaled_products.h"

#include "backends/cpu/engine/cpu_kernel_choices.h"
#include "backends/cpu/engine/steps/tensor_uses.h"
#include "backends/cpu/gemm/gemm_conv_kernels.h"
#include "core/graph/activation.h"
#include "core/passes/fuse.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

class ScaledProducts {
 public:
  ScaledProducts(Program& program, ThreadPool& pool)
      : program_(program), graph_(*program.graph), pool_(pool), uses_(*program.graph) {}

  void run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id)
      if (is_cast_to_floats(id)) join(id);
  }

 private:
  void join(NodeId cast) {
    TensorId sums = graph_.nodes[cast].inputs[0];
    if (graph_.shapes[sums] != graph_.shapes[graph_.nodes[cast].outputs[0]]) return;
    Program::ScaledProduct scaled{kNowhere, {}, 0};
    std::optional<NodeId> writer = writer_before(sums, cast), subtraction;
    if (writer && is_subtraction(*writer)) {
      subtraction = writer;
      scaled.minus = graph_.nodes[*writer].inputs[1];
      sums = graph_.nodes[*writer].inputs[0];
      writer = writer_before(sums, *writer);
    }
    if (!writer || !is_product(*writer)) return;
    const int64_t columns = graph_.shapes[sums].back();
    if (scaled.minus && !is_per_column(*scaled.minus, columns, DType::i32)) return;
    scaled.product = *writer;
    scaled.scales = scales_of(program_.steps[cast].post_ops, columns);
    program_.steps[cast].scaled = scaled;
    program_.steps[*writer].folded = true;
    if (subtraction) program_.steps[*subtraction].folded = true;
  }

  // The number of leading post-ops that the product computes: MUL, ADD, or both.
  size_t scales_of(std::span<const PostOpNode> post_ops, int64_t columns) const {
    size_t count = 0;
    for (const Op op : {Op::mul, Op::add}) {
      if (count == post_ops.size() || post_ops[count].node.op != op) continue;
      const PostOpNode& post_op = post_ops[count];
      const TensorId other = post_op.node.inputs[post_op.swapped ? 0 : 1];
      if (activation_of(post_op.node.attrs) != Activation::none || !is_per_column(other, columns, DType::f32))
        break;
      ++count;
    }
    return count;
  }

  // The node that writes the tensor, if only `reader` reads it.
  std::optional<NodeId> writer_before(TensorId tensor, NodeId reader) const {
    return uses_.only_reader(tensor) == reader ? uses_.writer[tensor] : std::nullopt;
  }

  bool is_cast_to_floats(NodeId id) const {
    const Node& node = graph_.nodes[id];
    return node.op == Op::cast && program_.is_ordinary(id) &&
           graph_.tensors[node.inputs[0]].dtype == DType::i32 &&
           graph_.tensors[node.outputs[0]].dtype == DType::f32 && !node.attrs.is_set(Attr::saturate);
  }

  bool is_subtraction(NodeId id) const {
    const Node& node = graph_.nodes[id];
    return node.op == Op::sub && program_.is_ordinary(id) && node.post_ops.empty() &&
           activation_of(node.attrs) == Activation::none &&
           graph_.shapes[node.inputs[0]] == graph_.shapes[node.outputs[0]];
  }

  bool is_per_column(TensorId id, int64_t columns, DType dtype) const {
    const Tensor& tensor = graph_.tensors[id];
    const Shape& shape = graph_.shapes[id];
    if (tensor.dtype != dtype || !tensor.quant.empty() || !is_static(shape)) return false;
    const int64_t count = element_count(shape).value_or(0);
    return count == 1 || (count == columns && shape.back() == columns);
  }

  // Returns whether every run computes the node with the dot GEMM, with one constant matrix.
  bool is_product(NodeId id) const {
    const Node& node = graph_.nodes[id];
    if ((node.op != Op::full_connection && node.op != Op::matmul) || !program_.is_ordinary(id)) return false;
    if (graph_.tensors[node.outputs[0]].dtype != DType::i32 || !node.post_ops.empty()) return false;
    const ArgsBeforeRun before(program_, id, pool_);
    if (!before.args().are_constant(1) || !before.choose(kDotGemm)) return false;
    const auto problem = matmul_problem(before.args());
    return problem.ok() && problem.value().work.batch.empty();
  }

  Program& program_;
  const Graph& graph_;
  ThreadPool& pool_;
  const TensorUses uses_;
};

}  // namespace

void find_scaled_products(Program& program, ThreadPool& pool) {
  if (fusing_is_on()) ScaledProducts(program, pool).run();
}

}  // namespace nnrt::cpu
