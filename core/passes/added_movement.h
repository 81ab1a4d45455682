// Nodes that passes add to move data: layout changes and views.
#pragma once

#include "core/graph/graph.h"

#include <set>

namespace nnrt {

// They bear the position of an operation that other nodes compute, so its kernels are not theirs.
class AddedMovement {
 public:
  explicit AddedMovement(const Graph& graph);
  bool has(const Node& node) const;

 private:
  std::set<uint32_t> computed_;  // positions
};

}  // namespace nnrt
