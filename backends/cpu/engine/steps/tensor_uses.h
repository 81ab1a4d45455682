// Who writes and reads each tensor of a graph.
#pragma once

#include "core/graph/graph.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace nnrt::cpu {

struct TensorUses {
  explicit TensorUses(const Graph& graph)
      : writer(graph.tensors.size()), readers(graph.tensors.size()), is_output(graph.tensors.size(), false) {
    for (const TensorId id : graph.outputs) is_output[id] = true;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      for (const TensorId input : graph.nodes[id].inputs) readers[input].push_back(id);
      for (const TensorId output : graph.nodes[id].outputs) writer[output] = id;
    }
  }

  // The node that alone reads the tensor, once; nullopt if it is an output.
  std::optional<NodeId> only_reader(TensorId id) const {
    if (is_output[id] || readers[id].size() != 1) return {};
    return readers[id][0];
  }
  // Returns whether the tensor is not an output and all its readers satisfy `is_one`.
  template <typename IsOne>
  bool are_readers(TensorId id, const IsOne& is_one) const {
    return !is_output[id] && std::ranges::all_of(readers[id], is_one);
  }

  // By tensor.
  std::vector<std::optional<NodeId>> writer;
  std::vector<std::vector<NodeId>> readers;  // a node that reads a tensor twice counts twice
  std::vector<bool> is_output;
};

}  // namespace nnrt::cpu
