#include "backends/vulkan/passes/needless_casts.h"

#include "backends/vulkan/passes/fp16_pass.h"
#include "core/schema/data_movement/copy_regions.h"

#include <algorithm>

namespace nnrt::vulkan {

NeedlessCasts::NeedlessCasts(const Graph& graph)
    : from_float_(graph.tensors.size()), to_float_(graph.tensors.size()) {
  std::vector<size_t> reads(graph.tensors.size());
  std::vector<bool> is_moved(graph.tensors.size());
  for (const TensorId id : graph.outputs) ++reads[id];
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.inputs) {
      ++reads[id];
      is_moved[id] = is_moved[id] || is_data_movement(node.op);
    }
  }
  const auto is_own = [&](TensorId id) {
    return is_fp16_form(graph.tensors[id]) && reads[id] == 1 && !is_moved[id];
  };
  for (const Node& node : graph.nodes) {
    if (node.op != Op::cast || node.diagnosis) continue;
    const TensorId from = node.inputs[0], to = node.outputs[0];
    const bool is_fed = graph.tensors[from].dtype == DType::f32 && !graph.tensors[from].is_constant();
    if (is_fed && is_own(to)) from_float_[to] = &node;
    if (graph.tensors[to].dtype == DType::f32 && is_own(from)) to_float_[from] = &node;
  }
}

bool NeedlessCasts::defer(const Node& node) {
  if (node.op != Op::cast) return false;
  if (from_float_[node.outputs[0]] == &node) {
    deferred_.insert(node.outputs[0]);
    return true;
  }
  // The one that reads an fp16 tensor is gone once the writer has written floats.
  return deferred_.contains(node.inputs[0]) && to_float_[node.inputs[0]] == &node &&
         from_float_[node.inputs[0]] == nullptr;
}

std::optional<TensorId> NeedlessCasts::float_input(TensorId fp16) {
  if (from_float_[fp16] == nullptr || deferred_.erase(fp16) == 0) return std::nullopt;
  return from_float_[fp16]->inputs[0];
}

std::optional<TensorId> NeedlessCasts::float_output(TensorId fp16) {
  if (to_float_[fp16] == nullptr || from_float_[fp16] != nullptr) return std::nullopt;
  deferred_.insert(fp16);
  return to_float_[fp16]->outputs[0];
}

std::vector<const Node*> NeedlessCasts::needed_by(const Node& node) {
  std::vector<const Node*> needed;
  for (const TensorId id : node.inputs) {
    if (from_float_[id] != nullptr && deferred_.erase(id) > 0) needed.push_back(from_float_[id]);
  }
  return needed;
}

}  // namespace nnrt::vulkan
