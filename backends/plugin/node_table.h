// The one table between operators and nodes of the driver interface.
#pragma once

#include "backends/plugin/attr_field.h"
#include "core/graph/graph.h"

#include <neural_network_runtime/hdi/v2_0/model_types.h>

#include <span>

namespace nnrt::plugin {

struct NodeRow {
  Op op{};
  hdi::NodeType type = hdi::NODE_TYPE_NONE;
  bool needs_v2_1 = false;
  hdi::NodeAttr attr{};  // with the fields that no parameter sets
  std::vector<Field> fields{};
  // Sets the fields that follow from the operands; may be null.
  void (*derive)(const Graph&, const nnrt::Node&, hdi::NodeAttr&) = nullptr;
};

std::span<const NodeRow> all_rows();
const NodeRow* find_row(Op op);  // null where the interface has no node for the operator

// The attributes of a node whose operator has a row, as a device of V2_<minor> gets them.
hdi::NodeAttr attributes_of(const Graph& graph, const nnrt::Node& node, uint32_t minor);

// The row of a node with these operands; null: there is none.
const NodeRow* find_row(const hdi::Model& model, const hdi::Node& node);
// The attributes that core knows of it, defaults included.
Attrs attrs_of(const NodeRow& row, const hdi::NodeAttr& attr);

}  // namespace nnrt::plugin
