// The state of each tensor while the nodes of a graph are walked in their order.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// Each call says what is wrong, in a sentence that names the tensor.
class DataFlow {
 public:
  // Constants are there from the beginning.
  explicit DataFlow(const Graph& graph);

  Status check_exist(std::span<const TensorId> ids) const;
  // The inputs of the graph.
  Status feed(std::span<const TensorId> inputs);
  // All that the node reads is there, and nothing that it writes; then it is.
  Status pass(const Node& node);
  // A node has written each of the graph's outputs.
  Status take(std::span<const TensorId> outputs) const;

 private:
  enum class State : uint8_t { missing, given, written };

  const Graph& graph_;
  std::vector<State> states_;
};

}  // namespace nnrt
