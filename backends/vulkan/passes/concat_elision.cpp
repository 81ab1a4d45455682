#include "backends/vulkan/passes/concat_elision.h"

#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/geometry.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// Counts the readers of each tensor; the graph's outputs count as one.
struct Reads {
  explicit Reads(const Graph& graph)
      : all(graph.tensors.size(), 0), by_data_movement(graph.tensors.size(), 0) {
    for (const TensorId id : graph.outputs) ++all[id];
    for (const Node& node : graph.nodes) {
      for (const TensorId id : node.inputs) {
        ++all[id];
        by_data_movement[id] += is_data_movement(node.op) ? 1 : 0;
      }
    }
  }

  std::vector<uint32_t> all, by_data_movement;
};

bool in_vec4(const Tensor& tensor, const Shape& shape) {
  return kFloat.contains(tensor.dtype) && is_static(shape) && !shape.empty() && shape.back() % 4 == 0;
}

bool joins_along_channels(const Node& node, const Graph& graph, std::span<const Shape> shapes) {
  if (node.op != Op::concat || node.diagnosis) return false;
  const TensorId result = node.outputs[0];
  if (!in_vec4(graph.tensors[result], shapes[result])) return false;
  const size_t rank = shapes[result].size();
  const auto axis = normalize_axis(node.attrs.integer(Attr::axis), rank);
  return axis.ok() && size_t(axis.value()) == rank - 1 && std::ranges::all_of(node.inputs, [&](TensorId id) {
           return in_vec4(graph.tensors[id], shapes[id]);
         });
}

}  // namespace

std::map<TensorId, ConcatSlice> concat_slices(const Graph& graph, std::span<const Shape> shapes) {
  const Reads reads(graph);
  std::vector<bool> is_input(graph.tensors.size(), false);
  for (const TensorId id : graph.inputs) is_input[id] = true;
  std::map<TensorId, ConcatSlice> placements;
  for (const Node& node : graph.nodes) {
    if (!joins_along_channels(node, graph, shapes)) continue;
    const TensorId result = node.outputs[0];
    if (reads.by_data_movement[result] == reads.all[result]) continue;
    ConcatSlice at{{Buffer::Space::tensor, result}, 0, uint32_t(shapes[result].back())};
    for (const TensorId id : node.inputs) {
      const bool is_edge = graph.tensors[id].is_constant() || is_input[id];
      if (reads.all[id] == 1 && !is_edge) placements.emplace(id, at);
      at.first += uint32_t(shapes[id].back());
    }
  }
  return placements;
}

}  // namespace nnrt::vulkan
