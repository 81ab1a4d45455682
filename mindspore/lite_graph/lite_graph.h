// A LiteGraph in a client's memory.
#pragma once

#include "mindspore/lite_graph/client_layout.h"
#include "mindspore/model/source_graph.h"

namespace nnrt::mindspore {

// Copies what a source graph needs, constants included. Tensors that cannot be read, and nodes without a
// known primitive, are marked; invalid_parameter if this is no graph, or a primitive is damaged.
Result<SourceGraph> read_lite_graph(const void* graph);

// The same for the root table of a file in memory.
Result<SourceGraph> read_meta_graph(const void* root);

// Deletes the graph, its nodes and subgraphs, as their destructors do. Tables are not the graph's.
void delete_lite_graph(const void* graph, const GraphLayout& layout);

}  // namespace nnrt::mindspore
