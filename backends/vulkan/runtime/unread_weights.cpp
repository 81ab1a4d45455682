#include "backends/vulkan/runtime/unread_weights.h"

#include "backends/vulkan/device/parallel_for_each.h"
#include "core/memory/deferred_bytes.h"
#include "core/platform/first_error.h"

#include <algorithm>
#include <vector>

namespace nnrt::vulkan {
namespace {

bool packs_weights(Op op) {
  switch (op) {
    case Op::matmul:
    case Op::full_connection:
    case Op::conv2d:
    case Op::conv2d_transpose:
    case Op::depthwise_conv2d_native:
    case Op::conv3d: return true;
    default: return false;
  }
}

// Per tensor: whether nothing but packing reads it.
std::vector<bool> only_packed(const Graph& graph) {
  std::vector<bool> is_packed(graph.tensors.size(), true);
  for (const TensorId id : graph.outputs) is_packed[id] = false;
  for (const Node& node : graph.nodes) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool is_weight = i == 1 && packs_weights(node.op);
      if (!is_weight || graph.tensors[node.inputs[i]].dtype != DType::f32) is_packed[node.inputs[i]] = false;
    }
  }
  return is_packed;
}

}  // namespace

bool may_read_late(const Graph& graph, bool float16, Shaders shaders) {
  return !float16 && shaders != Shaders::deferred &&
         std::ranges::all_of(graph.inputs, [&](TensorId id) { return is_static(graph.shapes[id]); });
}

Status read_needed(const Graph& graph, const Constants& constants) {
  const std::vector<bool> is_packed = only_packed(graph);
  std::vector<SharedBytes> needed;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    const SharedBytes& data = graph.tensors[id].data;
    if (is_deferred(data) && !(is_packed[id] && constants.has_stored(id))) needed.push_back(data);
  }
  FirstError error;
  const auto read = [&](size_t i) -> Status {  // goes on after an error, so that a host learns of all
    if (Status status = ensure_read(needed[i]); !status.ok()) error.add(i, std::move(status).error());
    return {};
  };
  NNRT_TRY(for_each_parallel(needed.size(), read));
  return error.take();
}

}  // namespace nnrt::vulkan
