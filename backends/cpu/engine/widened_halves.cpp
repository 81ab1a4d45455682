#include "backends/cpu/engine/widened_halves.h"

#include "backends/cpu/base/element_conversion.h"
#include "core/memory/deferred_bytes.h"
#include "core/passes/cast_inserter.h"

#include <algorithm>
#include <utility>

namespace nnrt::cpu {
namespace {

// Widened when they are needed.
SharedBytes widened(const SharedBytes& halves) {
  if (halves->empty()) return halves;  // dropped, as kernels have packed them
  const size_t count = halves->size() / sizeof(Half), bytes = count * sizeof(float);
  return deferred_bytes(bytes, bytes, [halves, count](std::span<std::byte> to) -> Status {
    NNRT_TRY(ensure_read(halves));
    converter(DType::f16, DType::f32)(halves->data(), to.data(), int64_t(count));
    return {};
  });
}

class Widening {
 public:
  explicit Widening(const Graph& graph) : graph_(graph), casts_(graph_), wide_(graph.tensors.size(), kNone) {
    for (Node& node : std::exchange(graph_.nodes, {})) visit(std::move(node));
  }

  Graph take() { return std::move(graph_); }

 private:
  static constexpr TensorId kNone = ~TensorId{0};

  void visit(Node node) {
    if (!is_widened(graph_, node)) return graph_.nodes.push_back(std::move(node));
    for (TensorId& id : node.inputs)
      if (graph_.tensors[id].dtype == DType::f16) id = wide(id, node.position);
    const TensorId result = std::exchange(node.outputs[0], like(node.outputs[0]));
    const TensorId wide = node.outputs[0];
    const uint32_t position = node.position;
    graph_.nodes.push_back(std::move(node));
    casts_.add_cast(wide, result, position);
  }

  TensorId wide(TensorId id, uint32_t position) {
    if (wide_[id] != kNone) return wide_[id];
    wide_[id] = like(id);
    if (graph_.tensors[id].is_constant()) {
      graph_.tensors[wide_[id]].data = widened(graph_.tensors[id].data);
    } else {
      casts_.add_cast(id, wide_[id], position);
    }
    return wide_[id];
  }

  TensorId like(TensorId id) {
    Tensor tensor = graph_.tensors[id];
    tensor.name += " in FLOAT32";
    tensor.dtype = DType::f32;
    tensor.data = nullptr;
    return casts_.add_tensor(std::move(tensor), Shape(graph_.shapes[id]));
  }

  Graph graph_;
  CastInserter casts_;
  std::vector<TensorId> wide_;  // by original tensor, if it is widened
};

}  // namespace

bool is_widened(const Graph& graph, const Node& node) {
  switch (node.op) {
    case Op::avg_pool:
    case Op::conv2d:
    case Op::conv2d_transpose:
    case Op::depthwise_conv2d_native:
    case Op::max_pool: return !node.diagnosis && graph.tensors[node.inputs[0]].dtype == DType::f16;
    default: return false;
  }
}

GraphPtr with_widened_halves(const GraphPtr& graph) {
  if (std::ranges::none_of(graph->nodes, [&](const Node& node) { return is_widened(*graph, node); }))
    return graph;
  return std::make_shared<const Graph>(Widening(*graph).take());
}

}  // namespace nnrt::cpu
