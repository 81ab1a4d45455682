// Normalizes a graph before partitioning, so that devices have fewer cases to support.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// NCHW data of convolutions, pooling and resizing becomes NHWC, with transposes only at the edges of regions
// of nodes that support it (layout/nhwc_layout.h). Unused nodes are dropped. New nodes keep the position of
// the node they come from. Inputs, outputs, tensors and their shapes do not change; new tensors are appended.
GraphPtr normalize(const GraphPtr& graph);

// Drops nodes that do not contribute to an output, except ASSERT, which has a side effect.
void drop_unread(Graph& graph);

// Returns whether normalize() would leave all nodes unchanged.
bool is_normalized(const Graph& graph);
bool is_normalized(const Graph& graph, const Node& node);

}  // namespace nnrt
