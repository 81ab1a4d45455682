#include "core/graph/subgraph.h"

#include <algorithm>
#include <limits>

namespace nnrt {
namespace {

constexpr TensorId kNone = std::numeric_limits<TensorId>::max();

}  // namespace

Subgraphs::Subgraphs(const Graph& whole)
    : whole_(whole),
      readers_(whole.tensors.size()),
      is_output_(whole.tensors.size(), false),
      is_chosen_(whole.nodes.size(), false),
      is_written_(whole.tensors.size(), false),
      number_(whole.tensors.size(), kNone) {
  for (NodeId node = 0; node < whole.nodes.size(); ++node) {
    for (const TensorId id : whole.nodes[node].inputs) {
      if (!whole.tensors[id].is_constant()) readers_[id].push_back(node);
    }
  }
  for (const TensorId id : whole.outputs) is_output_[id] = true;
}

bool Subgraphs::is_read_outside(TensorId id) const {
  return is_output_[id] ||
         std::ranges::any_of(readers_[id], [&](NodeId reader) { return !is_chosen_[reader]; });
}

Subgraph Subgraphs::cut(std::span<const NodeId> chosen) {
  for (const NodeId node : chosen) {
    is_chosen_[node] = true;
    for (const TensorId id : whole_.nodes[node].outputs) is_written_[id] = true;
  }
  Subgraph piece;
  std::vector<TensorId> touched;  // without duplicates, in order of first use
  for (const NodeId node : chosen) {
    const auto touch = [&](TensorId id) {
      const bool is_first = number_[id] == kNone;
      if (is_first) touched.push_back(id);
      number_[id] = 0;
      return is_first;
    };
    for (const TensorId id : whole_.nodes[node].inputs) {
      if (touch(id) && !is_written_[id] && !whole_.tensors[id].is_constant()) piece.inputs.push_back(id);
    }
    for (const TensorId id : whole_.nodes[node].outputs) {
      touch(id);
      if (is_read_outside(id)) piece.outputs.push_back(id);
    }
  }
  std::ranges::sort(touched);
  Graph graph;
  for (const TensorId id : touched) {
    number_[id] = TensorId(graph.tensors.size());
    graph.tensors.push_back(whole_.tensors[id]);
    graph.shapes.push_back(whole_.shapes[id]);
  }
  const auto renumber = [&](std::vector<TensorId> ids) {
    for (TensorId& id : ids) id = number_[id];
    return ids;
  };
  for (const NodeId node : chosen) {
    Node& moved = graph.nodes.emplace_back(whole_.nodes[node]);
    moved.inputs = renumber(std::move(moved.inputs));
    moved.outputs = renumber(std::move(moved.outputs));
  }
  graph.inputs = renumber(piece.inputs);
  graph.outputs = renumber(piece.outputs);
  piece.graph = std::make_shared<const Graph>(std::move(graph));
  for (const NodeId node : chosen) {
    is_chosen_[node] = false;
    for (const TensorId id : whole_.nodes[node].outputs) is_written_[id] = false;
  }
  for (const TensorId id : touched) number_[id] = kNone;
  return piece;
}

}  // namespace nnrt
