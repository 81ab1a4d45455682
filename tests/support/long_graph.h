// Graphs of any length that provoke quadratic time or recursion in passes; quadratic time shows at a few
// thousand nodes.
#pragma once

#include "core/graph/graph.h"

#include <span>
#include <string_view>

namespace nnrt::test {

struct LongGraph {
  std::string_view name;
  GraphPtr (*make)(int nodes);  // approximate count; inputs and outputs are FLOAT32
  bool alternates = false;      // alternates between nodes GPUs support and ones they don't
};

std::span<const LongGraph> long_graphs();

}  // namespace nnrt::test
