// Single elements declared with rank 0 or as [1] (R6).
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// An output with one element may be declared [] where shape inference gives [1], and vice versa. To hide this
// from kernels, such a node writes a new tensor with the inferred rank, followed by a SQUEEZE or UNSQUEEZE to
// the declared one. Built-in devices call this first in supports() and prepare(); all other nodes and tensors
// keep their order, and new tensors are appended. (Nodes whose rank depends on run-time values are not
// changed: their kernels do not use the rank of outputs.)
Graph with_inferred_ranks(Graph graph);

}  // namespace nnrt
