#include "tools/nnrt/session/profile_rows.h"

#include "core/base/text.h"
#include "tools/nnrt/session/layer_groups.h"

#include <algorithm>
#include <functional>
#include <map>

namespace nnrt::tool {
namespace {

ProfileRow row_of(const NodeTime& node, size_t operation) {
  return {operation, node.op, node.op, node.device, cat(node.dtype, ' ', node.shapes), 1, node.work, {}};
}

std::vector<ProfileRow> rows_of_operations(const Profile& profile) {
  std::vector<ProfileRow> rows;
  for (const OperationTime& time : profile.operations) {
    rows.push_back(row_of(time.main_node(), time.operation));
    rows.back().work = time.work;
  }
  return rows;
}

std::vector<LayerGroup> groups_of(const Profile& profile, const import::Network& network) {
  std::vector<std::vector<size_t>> kernels;
  for (const OperationTime& time : profile.operations) kernels.push_back(time.operations);
  return group_by_layers(network, kernels);
}

void add_nodes(ProfileRow& row, const OperationTime& time) {
  row.work.add(time.work);
  for (const NodeTime& node : time.nodes) {
    row.device = row.nodes.empty() || node.device == row.device ? node.device : "";
    row.nodes.push_back(row_of(node, time.operation));
  }
  row.output = row.nodes.back().output;
}

}  // namespace

std::vector<ProfileRow> rows_of(const Profile& profile, const ModelFile& file) {
  const std::vector<LayerGroup> groups =
      file.network ? groups_of(profile, *file.network) : std::vector<LayerGroup>();
  if (groups.empty()) return rows_of_operations(profile);
  const std::vector<size_t> places = groups_of_operations(groups, file.network->operations.size());
  std::vector<ProfileRow> rows;
  rows.reserve(groups.size());
  for (const LayerGroup& group : groups)
    rows.push_back({std::nullopt, group.operators, group.label, "", "", 1, {}, {}});
  for (const OperationTime& time : profile.operations) {
    if (time.operation < places.size()) add_nodes(rows[places[time.operation]], time);
  }
  std::erase_if(rows, [](const ProfileRow& row) { return row.nodes.empty(); });
  return rows;
}

std::vector<ProfileRow> summed(const std::vector<ProfileRow>& rows) {
  std::map<std::pair<std::string, std::string>, ProfileRow> sums;
  for (const ProfileRow& row : rows) {
    ProfileRow& sum = sums.try_emplace({row.op, row.device},
                                       ProfileRow{std::nullopt, row.op, row.op, row.device, "", 0, {}, {}})
                          .first->second;
    sum.count += row.count;
    sum.work.add(row.work);
    sum.nodes.insert(sum.nodes.end(), row.nodes.begin(), row.nodes.end());
  }
  std::vector<ProfileRow> sorted;
  for (auto& [key, sum] : sums) {
    if (!sum.nodes.empty()) sum.nodes = summed(sum.nodes);
    sorted.push_back(std::move(sum));
  }
  std::ranges::stable_sort(sorted, std::greater{}, [](const ProfileRow& row) { return row.work.ms; });
  return sorted;
}

}  // namespace nnrt::tool
