// Counts the work of a node, for traces and profiles.
#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <optional>

namespace nnrt {

struct Cost {
  // A multiply-add counts as two; 0 for data movement. Operators without matrix products count one per
  // element read.
  uint64_t flops = 0;
  uint64_t bytes = 0;  // inputs and outputs, constants included; of a table only as much as is written
};

// Empty if a shape is unknown.
std::optional<Cost> cost_of(const Graph& graph, const Node& node, std::span<const Shape> shapes);

}  // namespace nnrt
