// Constant folding at build time.
#pragma once

#include "core/graph/graph.h"

#include <functional>

namespace nnrt {

// Evaluates the only node of a graph whose inputs are all constants; returns the bytes of its outputs.
using Evaluate = std::function<Result<std::vector<Bytes>>(const GraphPtr&)>;

// Replaces nodes whose inputs are all constants, and transitively their readers, with constants. Keeps nodes
// that write graph outputs, those whose results exceed both kMaxGrowth times their inputs and kMaxAdded
// bytes, and those that cannot be evaluated.
GraphPtr fold_constants(const GraphPtr& graph, const Evaluate& evaluate);

inline constexpr size_t kMaxGrowth = 4, kMaxAdded = size_t{64} << 10;

}  // namespace nnrt
