#include "backends/vulkan/joined_rows.h"

#include "core/geometry.h"
#include "core/regions.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// How often each tensor is read, the reader of the graph's outputs included.
struct Reads {
  explicit Reads(const Graph& graph) : all(graph.tensors.size(), 0), by_moves(graph.tensors.size(), 0) {
    for (const TensorId id : graph.outputs) ++all[id];
    for (const Node& node : graph.nodes) {
      for (const TensorId id : node.inputs) {
        ++all[id];
        by_moves[id] += is_movement(node.op) ? 1 : 0;
      }
    }
  }

  std::vector<uint32_t> all, by_moves;
};

bool in_fours(const Tensor& tensor, const Shape& shape) {
  return tensor.dtype == DType::f32 && is_static(shape) && !shape.empty() && shape.back() % 4 == 0;
}

bool joins_rows(const Node& node, const Graph& graph, std::span<const Shape> shapes) {
  if (node.op != Op::concat || node.diagnosis) return false;
  const TensorId result = node.outputs[0];
  if (!in_fours(graph.tensors[result], shapes[result])) return false;
  const size_t rank = shapes[result].size();
  const auto axis = normalize_axis(node.attrs.integer(Attr::axis), rank);
  return axis.ok() && size_t(axis.value()) == rank - 1 && std::ranges::all_of(node.inputs, [&](TensorId id) {
           return in_fours(graph.tensors[id], shapes[id]);
         });
}

}  // namespace

std::map<TensorId, Placement> joined_rows(const Graph& graph, std::span<const Shape> shapes) {
  const Reads reads(graph);
  std::map<TensorId, Placement> placements;
  for (const Node& node : graph.nodes) {
    if (!joins_rows(node, graph, shapes)) continue;
    const TensorId result = node.outputs[0];
    if (reads.by_moves[result] > 0) continue;
    Placement at{{Buffer::Space::tensor, result}, 0, uint32_t(shapes[result].back())};
    for (const TensorId id : node.inputs) {
      const bool is_edge = graph.tensors[id].is_constant() || std::ranges::count(graph.inputs, id) > 0;
      if (reads.all[id] == 1 && !is_edge) placements.emplace(id, at);
      at.first += uint32_t(shapes[id].back());
    }
  }
  return placements;
}

}  // namespace nnrt::vulkan
