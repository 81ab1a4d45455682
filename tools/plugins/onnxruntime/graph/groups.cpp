#include "tools/plugins/onnxruntime/graph/groups.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace nnrt::ep {
namespace {

constexpr std::array<std::string_view, 7> kViews{"Reshape",  "Flatten", "Squeeze", "Unsqueeze",
                                                 "Identity", "Shape",   "Size"};

bool is_worth_it(const HostGraph& graph, const Group& group) {
  return std::ranges::any_of(group, [&](int position) {
    const auto& proto = graph.nodes[static_cast<size_t>(position)].proto;
    return !proto.domain().empty() || std::ranges::find(kViews, proto.op_type()) == kViews.end();
  });
}

}  // namespace

// A node's level counts the candidates' islands before it. Levels and segments grow along every edge, so the
// nodes that share both form a group that no path enters twice.
std::vector<Group> groups_of(const HostGraph& graph, const std::vector<bool>& candidates,
                             const std::set<int>& cuts) {
  std::map<std::string, int> levels;  // of the reader of a value
  std::map<std::pair<int, int>, Group> groups;
  int segment = 0;
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const HostNode& node = graph.nodes[static_cast<size_t>(i)];
    if (cuts.contains(i)) ++segment;
    const bool is_candidate = candidates[static_cast<size_t>(i)];
    int level = -1;  // even in an island, odd behind one
    for (const std::string& name : reads_of(node)) {
      const auto found = levels.find(name);
      if (found != levels.end()) level = std::max(level, found->second);
    }
    if (is_candidate && level % 2 != 0) ++level;
    if (!is_candidate && level % 2 == 0) ++level;
    for (const std::string& name : node.proto.output()) levels[name] = level;
    if (is_candidate) groups[{level, segment}].push_back(i);
  }
  std::vector<Group> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

std::vector<Group> accepted_groups(HostGraph& graph, const QuerySupport& ask,
                                   const std::function<void(int, const std::string&)>& declined) {
  std::vector<bool> candidates;
  std::set<int> cuts;
  std::set<Group> accepted;
  const auto decline = [&](int node, const std::string& reason) {
    candidates[static_cast<size_t>(node)] = false;
    declined(node, reason);
  };
  candidates.assign(graph.nodes.size(), true);
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const auto& proto = graph.nodes[static_cast<size_t>(i)].proto;
    if (!import::has_onnx_operator(proto.op_type(), proto.domain()))
      decline(i, "The operator is not supported.");
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Group& group : groups_of(graph, candidates, cuts)) {
      if (!is_worth_it(graph, group) || accepted.contains(group)) continue;
      const GroupSupport answer = ask(graph, group);
      if (answer.accepts && answer.declined.empty()) {
        accepted.insert(group);
        continue;
      }
      changed = true;
      for (const int node : answer.declined) decline(group[static_cast<size_t>(node)], answer.reason);
      if (!answer.declined.empty()) continue;
      if (group.size() == 1)
        decline(group[0], answer.reason);
      else
        cuts.insert(group[group.size() / 2]);
    }
  }
  std::vector<Group> result;
  for (Group& group : groups_of(graph, candidates, cuts))
    if (accepted.contains(group)) result.push_back(std::move(group));
  return result;
}

}  // namespace nnrt::ep
