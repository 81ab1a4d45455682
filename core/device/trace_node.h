// Nodes as trace events.
#pragma once

#include "core/graph/graph.h"
#include "core/platform/trace.h"

namespace nnrt::trace {

// "CONV2D [1,56,56,64]", or "CONV2D+ADD+RELU ..." with post-ops, and the members listed in docs/trace.md.
// Only the first of several events of a node carries its cost.
Event node_event(const Graph& graph, const Node& node, std::span<const Shape> shapes, std::string_view device,
                 bool with_cost = true);

// Suffix with the post-ops of a node: "+ADD+RELU".
std::string post_op_names(const Node& node);

}  // namespace nnrt::trace
