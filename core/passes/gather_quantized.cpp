#include "core/passes/gather_quantized.h"

#include <algorithm>
#include <utility>

namespace nnrt {
namespace {

class GatherQuantized {
 public:
  explicit GatherQuantized(const Graph& graph)
      : graph_(graph), reads_(graph.tensors.size()), writer_(graph.tensors.size(), kNone) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const TensorId id : graph.nodes[i].inputs) ++reads_[id];
      for (const TensorId id : graph.nodes[i].outputs) writer_[id] = i;
    }
    for (const TensorId id : graph.outputs) ++reads_[id];
  }

  // Null if nothing changes.
  GraphPtr run() {
    std::vector<size_t> cast_of(graph_.nodes.size(), kNone);  // by gathering node
    std::vector<bool> moves(graph_.nodes.size(), false);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      cast_of[i] = cast_before(graph_.nodes[i]);
      if (cast_of[i] != kNone) moves[cast_of[i]] = true;
    }
    if (std::ranges::find(moves, true) == moves.end()) return nullptr;
    Graph changed = graph_;
    changed.nodes.clear();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (moves[i]) continue;
      changed.nodes.push_back(graph_.nodes[i]);
      if (cast_of[i] != kNone) append_cast(changed, graph_.nodes[cast_of[i]]);
    }
    return std::make_shared<const Graph>(std::move(changed));
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  // The QUANT_DTYPE_CAST that only dequantizes a constant for this GATHER.
  size_t cast_before(const Node& node) const {
    if (node.op != Op::gather || node.diagnosis) return kNone;
    const TensorId table = node.inputs[0];
    const size_t at = writer_[table];
    if (at == kNone || reads_[table] != 1) return kNone;
    const Node& cast = graph_.nodes[at];
    if (cast.op != Op::quant_dtype_cast || cast.diagnosis) return kNone;
    const Tensor& stored = graph_.tensors[cast.inputs[0]];
    const bool is_stored =
        stored.is_constant() && stored.dtype == DType::i8 && stored.quant.scales.size() == 1;
    return is_stored && is_float(graph_.tensors[table].dtype) ? at : kNone;
  }

  // Appends the cast after the last node, the GATHER that now reads the quantized constant.
  static void append_cast(Graph& graph, Node cast) {
    Node& gather = graph.nodes.back();
    const TensorId stored = cast.inputs[0], result = gather.outputs[0];
    Tensor rows = graph.tensors[stored];
    rows.name = graph.tensors[result].name;
    rows.shape = graph.tensors[result].shape;
    rows.data = nullptr;
    const auto taken = TensorId(graph.tensors.size());
    graph.shapes.push_back(Shape(graph.shapes[result]));
    graph.tensors.push_back(std::move(rows));
    gather.inputs[0] = stored;
    gather.outputs[0] = taken;
    cast.inputs[0] = taken;
    cast.outputs[0] = result;
    std::swap(cast.position, gather.position);
    graph.nodes.push_back(std::move(cast));
  }

  const Graph& graph_;
  std::vector<uint32_t> reads_;
  std::vector<size_t> writer_;
};

}  // namespace

GraphPtr gather_quantized(const GraphPtr& graph) {
  GraphPtr changed = GatherQuantized(*graph).run();
  return changed != nullptr ? changed : graph;
}

}  // namespace nnrt
