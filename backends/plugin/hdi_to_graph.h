// Converts a driver's model to a graph: what our own driver gets from its clients, who are not trusted.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <neural_network_runtime/hdi/v2_0/model_types.h>

#include <optional>
#include <vector>

namespace nnrt::plugin {

struct ModelGraph {
  GraphPtr graph;               // of the nodes below; null if there is none
  std::vector<uint32_t> nodes;  // the model's node of each position in the graph
  // By the model's nodes: why the graph lacks one. Tensors that it would write are inputs of the graph.
  std::vector<std::optional<Error>> refusals;
};

// Copies constants. Tensors keep the model's numbers; shapes are inferred, and an invalid node gets a
// diagnosis. A node with `attr` needs no bytes. unsupported: a model with more than one subgraph.
// invalid_parameter: anything else.
Result<ModelGraph> to_graph(const ::nnrt::hdi::V2_0::Model& model);

}  // namespace nnrt::plugin
