// Validation of graphs that were read from untrusted bytes instead of being built by GraphBuilder.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace nnrt {

// Checks everything that later code assumes of a graph from GraphBuilder, and infers its shapes. (Kernels
// trust shapes, so stored ones are not used.)
// An invalid node gets a diagnosis, and is an error unless `may_make_no_sense`.
Status check_untrusted_graph(Graph& graph, bool may_make_no_sense = false);

// The same for a subgraph, which may have any number of inputs and outputs. Invalid nodes get a diagnosis but
// are not errors.
Status check_untrusted_subgraph(Graph& graph);

}  // namespace nnrt
