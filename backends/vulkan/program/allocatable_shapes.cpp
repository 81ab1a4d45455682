#include "backends/vulkan/program/allocatable_shapes.h"

#include "backends/vulkan/program/vulkan_program.h"
#include "core/base/text.h"

namespace nnrt::vulkan {

Status check_shapes(const Graph& graph, std::span<const Shape> shapes) {
  const auto check = [&](TensorId id) -> Status {
    if (tensor_bytes(graph.tensors[id], shapes[id])) return {};
    return unsupported("The shape ", to_string(shapes[id]), " of tensor '", graph.tensors[id].name,
                       "' cannot be allocated on the GPU.");
  };
  for (const TensorId id : graph.inputs) NNRT_TRY(check(id));
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.outputs) NNRT_TRY(check(id));
  }
  return {};
}

}  // namespace nnrt::vulkan
