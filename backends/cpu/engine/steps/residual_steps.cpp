#include "backends/cpu/engine/cpu_kernel_choices.h"
#include "backends/cpu/engine/steps/step_passes.h"
#include "backends/cpu/engine/steps/tensor_uses.h"
#include "backends/cpu/gemm/int8_gemm.h"

namespace nnrt::cpu {
namespace {

class ResidualSteps {
 public:
  ResidualSteps(Program& program, ThreadPool& pool)
      : program_(program), graph_(*program.graph), pool_(pool), uses_(*program.graph) {}

  void run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id)
      if (graph_.nodes[id].op == Op::add) join(id);
  }

 private:
  void join(NodeId add) {
    const Node& node = graph_.nodes[add];
    if (!program_.is_ordinary(add)) return;
    const NodeView view(graph_, node, graph_.shapes, program_.constants);
    if (!supports_int8_arithmetic(view) || view.shape(0) != view.shape(1) ||
        view.shape(0) != view.output_shape(0))
      return;
    for (uint8_t operand = 0; operand < 2; ++operand) {
      const TensorId data = node.inputs[operand];
      const std::optional<NodeId> writer = uses_.writer[data];
      if (!writer || uses_.only_reader(data) != add) continue;
      const std::optional<Int8Kernel> kernel = kernel_of(*writer);
      if (!kernel || !int8_sum(view, operand).fixed.is_usable) continue;
      program_.steps[add].method = Program::Residual{*writer, operand, *kernel};
      program_.steps[*writer].method = Program::Folded{add};
      return;
    }
  }

  // The GEMM with which every run computes the convolution, with constant weights.
  std::optional<Int8Kernel> kernel_of(NodeId id) const {
    if (graph_.nodes[id].op != Op::conv2d || !program_.is_ordinary(id)) return {};
    const ArgsBeforeRun before(program_, id, pool_);
    if (!before.args().are_constant(1) || !adds_residuals(before.args().node)) return {};
    return before.int8_kernel();
  }

  Program& program_;
  const Graph& graph_;
  ThreadPool& pool_;
  const TensorUses uses_;
};

}  // namespace

void find_residual_steps(Program& program, ThreadPool& pool) { ResidualSteps(program, pool).run(); }

}  // namespace nnrt::cpu
