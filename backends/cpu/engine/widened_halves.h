// Convolutions and pools of FLOAT16 tensors use the kernels for FLOAT32.
#pragma once

#include "core/graph/graph.h"

namespace nnrt::cpu {

bool is_widened(const Graph& graph, const Node& node);

// Reads FLOAT16 operands of such nodes through a CAST to FLOAT32, or widens them if they are constant, and
// rounds the result, after post-ops, by another CAST. Returns the same graph if there is no such node.
GraphPtr with_widened_halves(const GraphPtr& graph);

}  // namespace nnrt::cpu
