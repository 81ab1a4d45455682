#include "core/passes/normalize.h"

#include "core/passes/layout/layout_pass.h"
#include "core/passes/layout/nhwc_layout.h"
#include "core/passes/layout/stored_order.h"

#include <algorithm>

namespace nnrt {
namespace {

// Counts transposes other than identities.
size_t transposes(const Graph& graph) {
  return size_t(std::ranges::count_if(graph.nodes, [&](const Node& node) {
    if (node.op != Op::transpose) return false;
    const auto permutation = constant_integers(graph, node, 1);
    return !permutation || !is_in_place(*permutation);
  }));
}

ConvertedGraph convert(const Graph& graph, const LayoutChoice& choice) {
  ConvertedGraph converted = convert_to_nhwc(graph, choice);
  drop_unread(converted.graph);
  return converted;
}

}  // namespace

void drop_unread(Graph& graph) {
  std::vector<bool> wanted(graph.tensors.size(), false);
  for (const TensorId id : graph.outputs) wanted[id] = true;
  std::vector<Node> retained;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_read =
        std::any_of(node->outputs.begin(), node->outputs.end(), [&](TensorId id) { return wanted[id]; });
    if (!is_read && node->op != Op::assert_) continue;
    for (const TensorId id : node->inputs) wanted[id] = true;
    retained.push_back(std::move(*node));
  }
  std::reverse(retained.begin(), retained.end());
  graph.nodes = std::move(retained);
}

GraphPtr normalize(const GraphPtr& graph) {
  ConvertedGraph converted = convert(*graph, {});
  Graph& best = converted.graph;
  const auto prefer = [&](Graph other) {
    if (transposes(other) < transposes(best)) best = std::move(other);
  };
  if (!converted.convertible.empty()) prefer(convert(*graph, {.converted = converted.convertible}).graph);
  if (converted.has_followed_reshapes) prefer(convert(*graph, {.follows_reshapes = false}).graph);
  return std::make_shared<const Graph>(std::move(best));
}

bool is_normalized(const Graph& graph, const Node& node) {
  return node.diagnosis || !wants_nhwc(node) || !is_nchw(graph.tensors[node.inputs[0]]);
}

bool is_normalized(const Graph& graph) {
  return std::ranges::all_of(graph.nodes, [&](const Node& node) { return is_normalized(graph, node); });
}

}  // namespace nnrt
