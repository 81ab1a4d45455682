// A graph that was not made by GraphBuilder but read from bytes that anybody may have written.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace nnrt {

// Checks everything that later code takes for granted of a graph that GraphBuilder made, and fills its
// shapes. (Kernels trust shapes, so these are inferred: that they were stored would not make them true.)
// A node that makes no sense gets a diagnosis, and is an error unless `may_make_no_sense`.
Status check_untrusted_graph(Graph& graph, bool may_make_no_sense = false);

// The same of a part that was cut from a model: it may have any number of inputs and outputs. A node that
// makes no sense is no error; it has its diagnosis.
Status check_untrusted_subgraph(Graph& graph);

}  // namespace nnrt
