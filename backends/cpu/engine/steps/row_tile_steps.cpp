#include "backends/cpu/conv/row_tiles/row_tiled_conv.h"
#include "backends/cpu/engine/cpu_kernel_choices.h"
#include "backends/cpu/engine/steps/step_passes.h"
#include "backends/cpu/engine/steps/tensor_uses.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

class RowTileSteps {
 public:
  RowTileSteps(Program& program, ThreadPool& pool)
      : program_(program), graph_(*program.graph), pool_(pool), uses_(*program.graph) {}

  void run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id)
      if (is_depthwise(id)) group(id);
  }

 private:
  void group(NodeId depthwise) {
    Program::RowTiles tiles{kNowhere, depthwise, kNowhere};
    const TensorId data = graph_.nodes[depthwise].inputs[0], result = graph_.nodes[depthwise].outputs[0];
    if (const auto before = uses_.writer[data];
        before && is_between(*before, depthwise) && is_pointwise(*before))
      tiles.expand = *before;
    if (const auto after = uses_.only_reader(result);
        after && is_between(depthwise, *after) && is_pointwise(*after))
      tiles.project = *after;
    const NodeId first = tiles.expand != kNowhere ? tiles.expand : depthwise;
    const NodeId last = tiles.project != kNowhere ? tiles.project : depthwise;
    if (first == last || !is_worth_it(first)) return;
    program_.steps[last].method = tiles;
    for (const NodeId id : {tiles.expand, depthwise})
      if (id != kNowhere && id != last) program_.steps[id].method = Program::Folded{last};
  }

  // Returns whether only `to` reads the result of `from`, as its input 0.
  bool is_between(NodeId from, NodeId to) const {
    if (graph_.nodes[from].outputs.size() != 1) return false;
    const TensorId between = graph_.nodes[from].outputs[0];
    return uses_.only_reader(between) == to && graph_.nodes[to].inputs[0] == between;
  }

  bool is_worth_it(NodeId first) const {
    constexpr int64_t kCacheBytes = int64_t{1} << 20;
    if (program_.kernels.forces(Program::RowTiles::kName)) return true;
    const auto elements = element_count(graph_.shapes[graph_.nodes[first].outputs[0]]);
    return elements && *elements > kCacheBytes / int64_t(sizeof(float));
  }

  bool is_depthwise(NodeId id) const {
    const Op op = graph_.nodes[id].op;
    return (op == Op::conv2d || op == Op::depthwise_conv2d_native) &&
           uses(id, "depthwise", is_tileable_depthwise);
  }

  bool is_pointwise(NodeId id) const {
    constexpr int64_t kMaxWeights = int64_t{64} * 1024;  // each tile reads them
    const Node& node = graph_.nodes[id];
    if (node.op != Op::conv2d || !uses(id, "fp32_gemm", is_tileable_pointwise)) return false;
    return element_count(graph_.shapes[node.inputs[1]]) <= kMaxWeights ||
           program_.kernels.forces(Program::RowTiles::kName);
  }

  // Returns whether a node with constant weights uses this implementation in every run.
  bool uses(NodeId id, std::string_view implementation, bool (*fits)(const NodeView&)) const {
    const Node& node = graph_.nodes[id];
    if (!program_.is_ordinary(id)) return false;
    for (size_t i = 1; i < node.own_inputs(); ++i)
      if (!graph_.tensors[node.inputs[i]].is_constant()) return false;
    const ArgsBeforeRun before(program_, id, pool_);
    return fits(before.args().node) && before.choose(implementation);
  }

  Program& program_;
  const Graph& graph_;
  ThreadPool& pool_;
  const TensorUses uses_;
};

}  // namespace

void find_row_tiles(Program& program, ThreadPool& pool) { RowTileSteps(program, pool).run(); }

}  // namespace nnrt::cpu
