// Graphs of any length, of the kinds over which passes are slow or recurse: time that grows with the square
// of the nodes shows at some thousand of them.
#pragma once

#include "core/graph/graph.h"

#include <span>
#include <string_view>

namespace nnrt::test {

struct LongGraph {
  std::string_view name;
  GraphPtr (*make)(int nodes);  // about so many; inputs and outputs are FLOAT32
  bool alternates = false;      // between what GPUs take and what they refuse
};

std::span<const LongGraph> long_graphs();

}  // namespace nnrt::test
