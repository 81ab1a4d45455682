// Computes while a model is built what is the same in every run.
#pragma once

#include "core/graph/graph.h"

#include <functional>

namespace nnrt {

// The bytes of the outputs of a node whose inputs are constants: the first node of a graph that has no other.
using Evaluate = std::function<Result<std::vector<Bytes>>(const GraphPtr&)>;

// Nodes whose inputs are all constants go, and so do those behind them that only read such results: new
// constants stand for what they write. Kept are nodes that write outputs of the graph, those whose results
// are larger than kMaxGrowth times their inputs and kMaxAdded bytes, and what cannot be evaluated.
GraphPtr fold_constants(const GraphPtr& graph, const Evaluate& evaluate);

inline constexpr size_t kMaxGrowth = 4, kMaxAdded = size_t{64} << 10;

}  // namespace nnrt
