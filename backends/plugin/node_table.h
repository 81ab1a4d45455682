// Maps operators to driver interface nodes and back.
#pragma once

#include "backends/plugin/attr_field.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

#include <neural_network_runtime/hdi/v2_0/model_types.h>

#include <span>

namespace nnrt::plugin {

struct NodeRow {
  Op op{};
  hdi::NodeType type = hdi::NODE_TYPE_NONE;
  bool needs_v2_1 = false;
  hdi::NodeAttr attr{};  // with fields that no parameter sets
  std::vector<Field> fields{};
  // Sets fields that follow from the operands; may be null.
  void (*derive)(const Graph&, const nnrt::Node&, hdi::NodeAttr&) = nullptr;
  // Decides by the operands what a value means that upstream also sends if the client set none; may be null.
  Status (*settle)(const hdi::Model&, const hdi::Node&, Attrs&) = nullptr;
};

std::span<const NodeRow> all_rows();
const NodeRow* find_row(Op op);  // null if the interface has no node for the operator

// The attributes of a node whose operator has a row, for a device of V2_<minor>.
hdi::NodeAttr attributes_of(const Graph& graph, const nnrt::Node& node, uint32_t minor);

// The row of a driver node with these operands; null if there is none.
const NodeRow* find_row(const hdi::Model& model, const hdi::Node& node);
// The attributes in core's terms, including defaults.
Attrs attrs_of(const NodeRow& row, const hdi::NodeAttr& attr);

}  // namespace nnrt::plugin
