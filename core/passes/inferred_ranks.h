// One element, declared without dimensions or as [1] (R6).
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// A result of one element may be declared [] where its operator's formula says [1], and the other way round;
// its readers see what was declared. So that no kernel has to know of this, a node of that kind here writes a
// new tensor of the formula's rank, and a SQUEEZE or an UNSQUEEZE behind it makes the declared one of that.
// Devices of our own call this in supports() and prepare(), before anything else looks at a node; all other
// nodes and tensors stay what they are, in their order, and new tensors stand behind them. (A node whose rank
// depends on a value that only a run knows stays as well: kernels of such nodes take no rank from outputs.)
Graph with_inferred_ranks(Graph graph);

}  // namespace nnrt
