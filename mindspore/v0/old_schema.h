// Nodes of the schema before 1.1, which has no file identifier, as nodes of today's: other numbers and
// fields, and attributes that became inputs.
#pragma once

#include "mindspore/model/source_graph.h"

namespace nnrt::mindspore {

// Null for a number that is no primitive. Primitives that are refused have no fields.
const PrimitiveRow* find_old_primitive(int number);

// Today's primitive, and how many of its inputs may be attributes in the old schema. Empty if it is refused.
struct PrimitiveToday {
  PrimitiveType type{};
  size_t attributes = 0;
};
std::optional<PrimitiveToday> primitive_today(int number);

// Sets the node's primitive from a table Primitive of the old schema, or the problem if it has no equivalent.
// The node's inputs must be set; attributes that became inputs are added to the graph as constants.
void convert_old_primitive(FlatTable primitive, SourceGraph& graph, SourceNode& node);

}  // namespace nnrt::mindspore
