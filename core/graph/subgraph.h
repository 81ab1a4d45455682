// Parts of a graph, as graphs.
#pragma once

#include "core/graph/graph.h"

#include <span>
#include <vector>

namespace nnrt {

// Nodes of a graph with the tensors that they touch, in the order of both. Tensors have numbers of their own,
// so that a part is as large as what it holds and not as the whole.
struct Subgraph {
  GraphPtr graph;
  std::vector<TensorId> inputs, outputs;  // the whole graph's numbers of graph->inputs and graph->outputs
};

// Cuts a graph into parts. The time to cut one does not depend on how many there are.
class Subgraphs {
 public:
  explicit Subgraphs(const Graph& whole);

  // The nodes, in the given order, with the inputs that they need and the outputs that others read.
  Subgraph cut(std::span<const NodeId> chosen);

 private:
  bool is_read_outside(TensorId id) const;

  const Graph& whole_;
  std::vector<std::vector<NodeId>> readers_;  // by tensor
  std::vector<bool> is_output_;
  // They describe the part that is being cut; empty between calls.
  std::vector<bool> is_chosen_, is_written_;
  std::vector<TensorId> number_;  // by the whole graph's numbers
};

}  // namespace nnrt
