// Groups of nodes that become one model each.
#pragma once

#include "tools/plugins/onnxruntime/graph/plain_graph.h"

#include <functional>

namespace nnrt::ep {

// What a device says about a group: positions in the group of nodes that it declines. If it declines the
// group without naming a node, `declined` is empty and `accepts` is false.
struct GroupSupport {
  bool accepts = true;
  std::vector<int> declined{};
  std::string reason{};
};
// May set shapes of values that the framework does not know.
using QuerySupport = std::function<GroupSupport(HostGraph& graph, const Group& group)>;

// The largest groups of candidates such that no path leaves a group and enters it again. `cuts` are positions
// at which groups end.
std::vector<Group> groups_of(const HostGraph& graph, const std::vector<bool>& candidates,
                             const std::set<int>& cuts);

// Groups that the device accepts. Groups that only rename or reshape values are dropped: a framework does
// that without touching data. `declined` is called with every node that is declined.
std::vector<Group> accepted_groups(HostGraph& graph, const QuerySupport& ask,
                                   const std::function<void(int node, const std::string& reason)>& declined);

}  // namespace nnrt::ep
