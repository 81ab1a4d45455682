#include "core/placement/partition.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace nnrt {

Result<std::vector<Assignment>> assign(const Graph& graph, Device& chosen, Device* fallback,
                                       const CompileOptions& options) {
  NNRT_ASSIGN(std::vector<Refusal> first, chosen.supports(graph, options));
  if (chosen.is_plugin()) first.resize(std::max(first.size(), graph.nodes.size()));
  std::vector<Refusal> second;
  if (fallback != nullptr && fallback != &chosen) {
    NNRT_ASSIGN(second, fallback->supports(graph, options));
  }

  std::vector<Assignment> assignments(graph.nodes.size());
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    Assignment& assignment = assignments[node];
    assignment.refusal =
        node < first.size() ? first[node] : Refusal("The device did not answer for this operation.");
    if (!assignment.refusal) {
      assignment.device = &chosen;
    } else if (node < second.size()) {
      assignment.fallback_refusal = second[node];
      if (!assignment.fallback_refusal) assignment.device = fallback;
    }
  }
  return assignments;
}

namespace {

// Nodes that are ready to run, by owner, each in graph order.
class ReadyQueues {
 public:
  ReadyQueues(const Graph& graph, std::span<const size_t> owners)
      : owners_(owners), waits_(graph.nodes.size(), 0) {
    constexpr auto kNobody = std::numeric_limits<NodeId>::max();
    std::vector<NodeId> writer(graph.tensors.size(), kNobody);
    readers_.resize(graph.nodes.size());
    for (NodeId node = 0; node < graph.nodes.size(); ++node) {
      for (const TensorId id : graph.nodes[node].outputs) writer[id] = node;
      for (const TensorId id : graph.nodes[node].inputs) {
        if (writer[id] == kNobody) continue;
        ++waits_[node];
        readers_[writer[id]].push_back(node);
      }
    }
    queues_.resize(owners.empty() ? 0 : *std::max_element(owners.begin(), owners.end()) + 1);
    for (NodeId node = 0; node < graph.nodes.size(); ++node) {
      if (waits_[node] == 0) queues_[owners[node]].push(node);
    }
  }

  size_t owner_count() const { return queues_.size(); }
  bool empty(size_t owner) const { return queues_[owner].empty(); }

  // Removes the owner's next node; its readers may become ready.
  NodeId take(size_t owner) {
    const NodeId node = queues_[owner].top();
    queues_[owner].pop();
    for (const NodeId reader : readers_[node]) {
      if (--waits_[reader] == 0) queues_[owners_[reader]].push(reader);
    }
    return node;
  }

 private:
  using Queue = std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>>;

  std::span<const size_t> owners_;
  std::vector<uint32_t> waits_;
  std::vector<std::vector<NodeId>> readers_;
  std::vector<Queue> queues_;
};

}  // namespace

std::vector<Partition> partition(const Graph& graph, std::span<const size_t> owners, FirstOwner first) {
  ReadyQueues ready(graph, owners);
  std::vector<Partition> partitions;
  size_t idle = 0;  // consecutive owners without ready nodes
  for (size_t turn = first == FirstOwner::last_owner ? 0 : 1; idle < ready.owner_count(); ++turn) {
    // Two owners alternate.
    const size_t owner = ready.owner_count() - 1 - turn % ready.owner_count();
    if (ready.empty(owner)) {
      ++idle;
      continue;
    }
    idle = 0;
    Partition partition{owner, {}};
    while (!ready.empty(owner)) partition.nodes.push_back(ready.take(owner));
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

}  // namespace nnrt
