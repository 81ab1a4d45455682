#include "backends/cpu/engine/steps/included_nodes.h"

#include "backends/cpu/conv/conv_kernels.h"
#include "backends/cpu/conv/row_tiles/row_tiled_conv.h"
#include "backends/cpu/gemm/int8_microkernel.h"
#include "backends/cpu/int8/scaled_sums.h"

namespace nnrt::cpu {
namespace {

class Inclusion {
 public:
  Inclusion(const Program& program, RunContext& context, ThreadPool& pool)
      : program_(program), graph_(*program.graph), context_(context), pool_(pool) {}

  Status compute(const Program::RowTiles& tiles);
  Status compute(const Program::Residual& residual, const NodeView& add);
  Status compute(const Program::ScaledProduct& scaled, std::span<const PostOpNode> post_ops);

 private:
  NodeView view_of(NodeId id) const {
    return NodeView(graph_, graph_.nodes[id], context_.shapes, context_.values);
  }
  // `in` keeps the inputs.
  KernelArgs args_of(NodeId id, const NodeView& view, std::vector<const std::byte*>& in) {
    in.clear();
    for (const TensorId input : view.node().inputs) in.push_back(context_.values[input]);
    return kernel_args(program_, context_, pool_, program_.steps[id], view, in);
  }
  template <typename T>
  ColumnValues<T> column_values(TensorId id) const {
    return {reinterpret_cast<const T*>(context_.values[id]), element_count(context_.shapes[id]) == 1 ? 0 : 1};
  }
  template <typename T>
  ColumnProduct<T> column_product(std::span<const TensorId> factors) const {
    ColumnProduct<T> product;
    for (size_t i = 0; i < factors.size(); ++i) product.factors[i] = column_values<T>(factors[i]);
    return product;
  }

  const Program& program_;
  const Graph& graph_;
  RunContext& context_;
  ThreadPool& pool_;
};

Status Inclusion::compute(const Program::RowTiles& tiles) {
  const bool expands = tiles.expand != kNowhere, projects = tiles.project != kNowhere;
  const NodeView center = view_of(tiles.depthwise), first = view_of(expands ? tiles.expand : tiles.depthwise),
                 last = view_of(projects ? tiles.project : tiles.depthwise);
  const KernelArgs depthwise = args_of(tiles.depthwise, center, context_.inner_in[0]);
  const KernelArgs expand = args_of(expands ? tiles.expand : tiles.depthwise, first, context_.inner_in[1]);
  const KernelArgs project =
      kernel_args(program_, context_, pool_, program_.steps[projects ? tiles.project : tiles.depthwise], last,
                  context_.in);
  return convolve_row_tiles({expands ? &expand : nullptr, depthwise, projects ? &project : nullptr});
}

Status Inclusion::compute(const Program::Residual& residual, const NodeView& add) {
  const NodeView view = view_of(residual.convolution);
  const KernelArgs args = args_of(residual.convolution, view, context_.inner_in[0]);
  const std::byte* const other = context_.in[1 - residual.operand];
  return convolve_int8_and_add(
      args, {int8_sum(add, residual.operand), reinterpret_cast<const int8_t*>(other), args.output<int8_t>()},
      residual.kernel);
}

Status Inclusion::compute(const Program::ScaledProduct& scaled, std::span<const PostOpNode> post_ops) {
  SumScaling scaling{column_product<int32_t>(scaled.minus), column_product<float>(scaled.factors), {}};
  for (const PostOpNode& post_op : post_ops.first(scaled.scales))
    if (post_op.node.op == Op::add)
      scaling.addend = column_values<float>(post_op.node.inputs[post_op.swapped ? 0 : 1]);
  const NodeView view = view_of(scaled.product);
  const KernelArgs args = args_of(scaled.product, view, context_.inner_in[0]);
  NNRT_ASSIGN(const MatMulProblem problem, matmul_problem(args));
  return matmul_int8_scaled(problem, scaling, scaled.kernel);
}

}  // namespace

KernelArgs kernel_args(const Program& program, RunContext& context, ThreadPool& pool,
                       const Program::Step& step, const NodeView& view,
                       std::span<const std::byte* const> in) {
  return {view,
          in,
          context.out,
          pool,
          step.prepacked.get(),
          &context.scratch,
          !step.infer,
          &program.kernels,
          step.chosen,
          program.may_round};
}

Status compute_with_included(const Program& program, RunContext& context, ThreadPool& pool,
                             const Program::Step& step, const NodeView& view) {
  Inclusion inclusion(program, context, pool);
  if (const auto* const tiles = std::get_if<Program::RowTiles>(&step.method))
    return inclusion.compute(*tiles);
  if (const auto* const residual = std::get_if<Program::Residual>(&step.method))
    return inclusion.compute(*residual, view);
  return inclusion.compute(std::get<Program::ScaledProduct>(step.method), step.post_ops);
}

}  // namespace nnrt::cpu
