// Nodes of the schema before 1.1 as nodes of today's: other numbers and fields, and attributes that became
// inputs.
#pragma once

#include "mindspore/model/source_graph.h"

namespace nnrt::mindspore {

// Sets the node's primitive from a table Primitive of the old schema, or the problem if it has no equivalent.
// The node's inputs must be set; attributes that became inputs are added to the graph as constants.
void convert_old_primitive(FlatTable primitive, SourceGraph& graph, SourceNode& node);

}  // namespace nnrt::mindspore
