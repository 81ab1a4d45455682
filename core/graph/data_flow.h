// Tracks the state of each tensor while walking the nodes of a graph in order.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// Errors name the tensor.
class DataFlow {
 public:
  // Constants are available from the start.
  explicit DataFlow(const Graph& graph);

  Status check_exist(std::span<const TensorId> ids) const;
  // Marks the inputs of the graph as available.
  Status feed(std::span<const TensorId> inputs);
  // Checks that the node's inputs are available and its outputs are not; marks the outputs.
  Status pass(const Node& node);
  // Checks that all graph outputs have been written.
  Status take(std::span<const TensorId> outputs) const;

 private:
  enum class State : uint8_t { missing, given, written };

  const Graph& graph_;
  std::vector<State> states_;
};

}  // namespace nnrt
