// The assignment of nodes to devices, and the pieces in which they run.
#pragma once

#include "core/device/device.h"
#include "core/graph/graph.h"

#include <string>
#include <vector>

namespace nnrt {

// For each node the device that runs it, and why the chosen device does not.
struct Assignment {
  Device* device = nullptr;  // null: nobody takes it
  Refusal refusal;           // says why it is not, or no longer, on the chosen device
  Refusal fallback_refusal;
};

// The first of [chosen, fallback] that supports each node. `fallback` may be null. unavailable_device: one of
// them cannot answer.
Result<std::vector<Assignment>> assign(const Graph& graph, Device& chosen, Device* fallback,
                                       const CompileOptions& options);

struct Partition {
  size_t owner = 0;           // as in `owners`
  std::vector<NodeId> nodes;  // in an order in which they can run
};

// Cuts the graph so that every node runs where owners[node] says: in an order that can run, with few borders,
// and the same for the same graph. Takes from one owner's ready nodes until there are none, then goes on to
// the next. If the last owner goes first, what it alone can start (such as shape arithmetic) splits no
// other's partition; if the first does, it begins what needs nobody else before it waits.
enum class FirstOwner : uint8_t { last_owner, first_owner };
std::vector<Partition> partition(const Graph& graph, std::span<const size_t> owners,
                                 FirstOwner first = FirstOwner::last_owner);

}  // namespace nnrt
