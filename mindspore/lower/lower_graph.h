// Lowers a MindSpore graph to a core graph.
#pragma once

#include "core/writer/graph_writer.h"
#include "mindspore/model/source_graph.h"

#include <optional>
#include <vector>

namespace nnrt::mindspore {

struct LoweredGraph {
  // Null if nothing could be lowered. If nodes were refused, it is only good for asking devices about the
  // others: the results of refused nodes are inputs.
  GraphPtr graph;
  List<uint32_t> origins;               // by core node: the source node; kNoNode: none
  List<std::optional<Error>> refusals;  // by source node
};
inline constexpr uint32_t kNoNode = ~uint32_t{0};

// `evaluate` folds shape arithmetic; may be null. Fails if inputs, outputs or indices are invalid.
Result<LoweredGraph> lower_graph(const SourceGraph& source, const EvaluateGraph& evaluate);

// The nodes in an order in which each follows the writers of its inputs; nodes of a cycle are absent.
List<uint32_t> execution_order(const SourceGraph& source);

}  // namespace nnrt::mindspore
