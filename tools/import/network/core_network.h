// Converts a core graph to a network, for readers that build graphs.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/network/network.h"

namespace nnrt::import {

// Tensors keep their numbers. Operations have neither origins nor layers.
Result<Network> to_network(const nnrt::Graph& graph);

}  // namespace nnrt::import
