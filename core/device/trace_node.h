// Nodes as trace events.
#pragma once

#include "core/graph/graph.h"
#include "core/platform/trace.h"

namespace nnrt::trace {

struct NodeEventOptions {
  bool with_cost = true;           // only the first of several events of a node carries its cost
  std::vector<NodeId> included{};  // nodes that the same kernel computes before the node
};

// "CONV2D [1,56,56,64]", "CONV2D+ADD+RELU ..." with post-ops or included nodes, and the members listed in
// docs/trace.md.
Event node_event(const Graph& graph, const Node& node, std::span<const Shape> shapes, std::string_view device,
                 const NodeEventOptions& options = {});

// Suffix with the post-ops of a node: "+ADD+RELU".
std::string post_op_names(const Node& node);

}  // namespace nnrt::trace
