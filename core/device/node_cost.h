// The work of a node in numbers, for traces and profiles.
#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <optional>

namespace nnrt {

struct Cost {
  // Multiplications and additions, one each; 0 if the operator only moves data. Operators that multiply no
  // matrices count one for each element read.
  uint64_t flops = 0;
  uint64_t bytes = 0;  // all inputs and outputs, constants included
};

// Nothing where a shape is not known.
std::optional<Cost> cost_of(const Graph& graph, const Node& node, std::span<const Shape> shapes);

}  // namespace nnrt
