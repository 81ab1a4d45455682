#include "core/passes/added_movement.h"

#include "core/schema/schema.h"

namespace nnrt {
namespace {

bool moves_data(const Node& node) { return schema(node.op).family == Family::data_movement; }

}  // namespace

AddedMovement::AddedMovement(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (!moves_data(node)) computed_.insert(node.position);
    computed_.insert(node.fused_positions.begin(), node.fused_positions.end());
  }
}

bool AddedMovement::has(const Node& node) const {
  return moves_data(node) && computed_.contains(node.position);
}

}  // namespace nnrt
