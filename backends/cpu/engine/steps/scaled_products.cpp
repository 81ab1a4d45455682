#include "backends/cpu/engine/cpu_kernel_choices.h"
#include "backends/cpu/engine/steps/step_passes.h"
#include "backends/cpu/engine/steps/tensor_uses.h"
#include "backends/cpu/gemm/matmul_kernels.h"
#include "core/graph/activation.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

class ScaledProducts {
 public:
  ScaledProducts(Program& program, ThreadPool& pool)
      : program_(program),
        graph_(*program.graph),
        pool_(pool),
        uses_(*program.graph),
        shapes_(program.graph->shapes) {
    constexpr int64_t kSome = 2;
    for (Shape& shape : shapes_) std::ranges::replace(shape, kUnknown, kSome);
  }

  void run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id)
      if (is_cast_to_floats(id)) join(id);
  }

 private:
  void join(NodeId cast) {
    TensorId sums = graph_.nodes[cast].inputs[0];
    if (graph_.shapes[sums] != graph_.shapes[graph_.nodes[cast].outputs[0]]) return;
    Program::ScaledProduct scaled{kNowhere, {}, {}, 0, Int8Kernel::dot};
    std::optional<NodeId> writer = writer_before(sums, cast), subtraction;
    if (writer && is_subtraction(*writer)) {
      subtraction = writer;
      sums = graph_.nodes[*writer].inputs[0];
      writer = writer_before(sums, *writer);
    }
    const std::optional<Int8Kernel> kernel = writer ? kernel_of(*writer) : std::nullopt;
    if (!kernel) return;
    const int64_t columns = graph_.shapes[sums].back();
    folded_ = {*writer};
    if (subtraction) {
      const TensorId minus = graph_.nodes[*subtraction].inputs[1];
      if (!is_per_column(minus, columns, DType::i32)) return;
      scaled.minus = factors_of(minus, *subtraction, columns);
      folded_.push_back(*subtraction);
    }
    scaled.product = *writer;
    scaled.kernel = *kernel;
    take_scales(cast, columns, scaled);
    program_.steps[cast].method = scaled;
    for (const NodeId id : folded_) program_.steps[id].method = Program::Folded{cast};
  }

  // Moves the leading post-ops, MUL, ADD or both, into the product's epilogue.
  void take_scales(NodeId cast, int64_t columns, Program::ScaledProduct& scaled) {
    const std::vector<PostOpNode>& post_ops = program_.steps[cast].post_ops;
    for (const Op op : {Op::mul, Op::add}) {
      if (scaled.scales == post_ops.size() || post_ops[scaled.scales].node.op != op) continue;
      const PostOpNode& post_op = post_ops[scaled.scales];
      const TensorId other = post_op.node.inputs[post_op.swapped ? 0 : 1];
      if (activation_of(post_op.node.attrs) != Activation::none || !is_per_column(other, columns, DType::f32))
        break;
      if (op == Op::mul) scaled.factors = factors_of(other, cast, columns);
      ++scaled.scales;
    }
  }

  // The operands of the MUL that writes a value per column, if only `reader` reads it; otherwise the tensor.
  std::vector<TensorId> factors_of(TensorId tensor, NodeId reader, int64_t columns) {
    const std::optional<NodeId> writer = writer_before(tensor, reader);
    if (!writer) return {tensor};
    const Node& node = graph_.nodes[*writer];
    const DType dtype = graph_.tensors[tensor].dtype;
    if (node.op != Op::mul || !program_.is_ordinary(*writer) || !node.post_ops.empty() ||
        activation_of(node.attrs) != Activation::none)
      return {tensor};
    for (const TensorId input : node.inputs)
      if (!is_per_column(input, columns, dtype)) return {tensor};
    folded_.push_back(*writer);
    return node.inputs;
  }

  // The node that writes the tensor, if only `reader` reads it.
  std::optional<NodeId> writer_before(TensorId tensor, NodeId reader) const {
    return uses_.only_reader(tensor) == reader ? uses_.writer[tensor] : std::nullopt;
  }

  bool is_cast_to_floats(NodeId id) const {
    const Node& node = graph_.nodes[id];
    return node.op == Op::cast && program_.is_alone(id) &&
           graph_.tensors[node.inputs[0]].dtype == DType::i32 &&
           graph_.tensors[node.outputs[0]].dtype == DType::f32 && !node.attrs.is_set(Attr::saturate);
  }

  bool is_subtraction(NodeId id) const {
    const Node& node = graph_.nodes[id];
    return node.op == Op::sub && program_.is_alone(id) && node.post_ops.empty() &&
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

  // The GEMM with which every run computes the product, with one constant matrix.
  std::optional<Int8Kernel> kernel_of(NodeId id) const {
    const Node& node = graph_.nodes[id];
    if ((node.op != Op::full_connection && node.op != Op::matmul) || !program_.is_alone(id)) return {};
    if (graph_.tensors[node.outputs[0]].dtype != DType::i32 || !node.post_ops.empty()) return {};
    const ArgsBeforeRun before(program_, id, pool_, shapes_);
    if (!before.args().are_constant(1)) return {};
    const auto problem = matmul_problem(before.args());
    return problem.ok() && problem.value().work.batch.empty() ? before.int8_kernel() : std::nullopt;
  }

  Program& program_;
  const Graph& graph_;
  ThreadPool& pool_;
  const TensorUses uses_;
  std::vector<Shape> shapes_;   // unknown dimensions are replaced: the number of rows does not matter
  std::vector<NodeId> folded_;  // by the step being made
};

}  // namespace

void find_scaled_products(Program& program, ThreadPool& pool) { ScaledProducts(program, pool).run(); }

}  // namespace nnrt::cpu
