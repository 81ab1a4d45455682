#include "backends/vulkan/passes/needless_casts.h"

#include "backends/vulkan/passes/fp16_pass.h"

namespace nnrt::vulkan {

NeedlessCasts::NeedlessCasts(const Graph& graph, bool is_on)
    : from_float_(graph.tensors.size()), to_float_(graph.tensors.size()), is_of_pass_(graph.tensors.size()) {
  if (!is_on) return;
  std::vector<size_t> reads(graph.tensors.size());
  std::vector<bool> is_output(graph.tensors.size());
  for (const TensorId id : graph.outputs) is_output[id] = true;
  for (const Node& node : graph.nodes)
    for (const TensorId id : node.inputs) ++reads[id];
  const auto has_one_reader = [&](TensorId id) {
    return graph.tensors[id].dtype == DType::f16 && reads[id] == 1 && !is_output[id];
  };
  for (const Node& node : graph.nodes) {
    if (node.op != Op::cast || node.diagnosis) continue;
    const TensorId from = node.inputs[0], to = node.outputs[0];
    const bool is_fed = graph.tensors[from].dtype == DType::f32 && !graph.tensors[from].is_constant();
    if (is_fed && has_one_reader(to)) from_float_[to] = &node;
    if (graph.tensors[to].dtype == DType::f32 && has_one_reader(from)) to_float_[from] = &node;
  }
  for (TensorId id = 0; id < graph.tensors.size(); ++id) is_of_pass_[id] = is_fp16_form(graph.tensors[id]);
}

bool NeedlessCasts::defer(const Node& node) {
  if (node.op != Op::cast) return false;
  if (from_float_[node.outputs[0]] == &node) {
    deferred_.insert(node.outputs[0]);
    return true;
  }
  // The CAST that reads an fp16 tensor is elided if the writer writes floats directly.
  return deferred_.contains(node.inputs[0]) && to_float_[node.inputs[0]] == &node &&
         from_float_[node.inputs[0]] == nullptr;
}

std::optional<TensorId> NeedlessCasts::float_input(TensorId fp16, bool is_rounded) {
  if (from_float_[fp16] == nullptr || !(is_rounded || is_of_pass_[fp16])) return std::nullopt;
  if (deferred_.erase(fp16) == 0) return std::nullopt;
  return from_float_[fp16]->inputs[0];
}

std::optional<TensorId> NeedlessCasts::float_output(TensorId fp16, bool is_rounded) {
  if (to_float_[fp16] == nullptr || !(is_rounded || is_of_pass_[fp16])) return std::nullopt;
  if (from_float_[fp16] != nullptr) return std::nullopt;
  deferred_.insert(fp16);
  return to_float_[fp16]->outputs[0];
}

std::vector<const Node*> NeedlessCasts::needed_by(std::span<const TensorId> tensors) {
  std::vector<const Node*> needed;
  for (const TensorId id : tensors) {
    if (from_float_[id] != nullptr && deferred_.erase(id) > 0) needed.push_back(from_float_[id]);
  }
  return needed;
}

}  // namespace nnrt::vulkan
