// Subgraphs.
#pragma once

#include "core/graph/graph.h"

#include <span>
#include <vector>

namespace nnrt {

// Nodes of a graph with the tensors they use, in the original order. Tensors are renumbered, so that the size
// does not depend on the original graph.
struct Subgraph {
  GraphPtr graph;
  std::vector<TensorId> inputs,
      outputs;  // graph->inputs and graph->outputs in the original graph's numbering
};

// Extracts subgraphs from a graph. The time per extraction does not depend on their number.
class Subgraphs {
 public:
  explicit Subgraphs(const Graph& whole);

  // The chosen nodes, in the given order, with the inputs they need and the outputs used elsewhere.
  Subgraph cut(std::span<const NodeId> chosen);

 private:
  bool is_read_outside(TensorId id) const;

  const Graph& whole_;
  std::vector<std::vector<NodeId>> readers_;  // by tensor
  std::vector<bool> is_output_;
  // Scratch space of one extraction; clear between calls.
  std::vector<bool> is_chosen_, is_written_;
  std::vector<TensorId> number_;  // by original tensor id
};

}  // namespace nnrt
