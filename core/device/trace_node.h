// Nodes as trace events.
#pragma once

#include "core/graph/graph.h"
#include "core/platform/trace.h"

namespace nnrt::trace {

// "CONV2D [1,56,56,64]", or "CONV2D+ADD+RELU ..." with its post-ops, and the members that docs/trace.md lists
// for nodes. Its cost stands only in the first of several events of one node.
Event node_event(const Graph& graph, const Node& node, std::span<const Shape> shapes, std::string_view device,
                 bool with_cost = true);

// The post-ops of a node, to stand behind its name: "+ADD+RELU".
std::string post_op_names(const Node& node);

}  // namespace nnrt::trace
