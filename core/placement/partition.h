// The assignment of nodes to devices, and partitions.
#pragma once

#include "core/device/device.h"
#include "core/graph/graph.h"

#include <string>
#include <vector>

namespace nnrt {

// The device that runs a node, and why the chosen one does not.
struct Assignment {
  Device* device = nullptr;  // null: no device supports it
  Refusal refusal;           // why it is not, or no longer, on the chosen device
  Refusal fallback_refusal;
};

// The first of [chosen, fallback] that supports each node. `fallback` may be null. unavailable_device: one of
// them cannot answer.
Result<std::vector<Assignment>> assign(const Graph& graph, Device& chosen, Device* fallback,
                                       const CompileOptions& options);

struct Partition {
  size_t owner = 0;           // as in `owners`
  std::vector<NodeId> nodes;  // in execution order
};

// Partitions the graph so that each node runs on owners[node]: in execution order, with few borders,
// deterministically. Takes all ready nodes of one owner before going to the next. With last_owner, nodes that
// only the last owner can start (such as shape arithmetic) do not split another owner's partition; with
// first_owner, it starts its independent work before it has to wait.
enum class FirstOwner : uint8_t { last_owner, first_owner };
std::vector<Partition> partition(const Graph& graph, std::span<const size_t> owners,
                                 FirstOwner first = FirstOwner::last_owner);

}  // namespace nnrt
