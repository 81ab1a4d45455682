// Rewrites a graph before it is cut, so that devices have less to know.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// NCHW data of convolutions, pools and resizes becomes NHWC: transposes at the edges, none between such nodes
// and those among them that can follow (layout/nhwc_layout.h). Nodes that nothing reads are dropped. Each new
// node keeps the position of the node it came from. Inputs and outputs of the graph stay as they are, and so
// do its tensors and their shapes; new ones have the numbers behind them.
GraphPtr normalize(const GraphPtr& graph);

// Returns whether no node is left that normalize() would rewrite.
bool is_normalized(const Graph& graph);
bool is_normalized(const Graph& graph, const Node& node);

}  // namespace nnrt
