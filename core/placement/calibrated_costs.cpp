#include "core/placement/calibrated_costs.h"

#include "core/base/text.h"
#include "core/placement/cost_file.h"
#include "core/placement/line_file.h"
#include "core/placement/measure_costs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace nnrt {
namespace {

bool is_worth_measuring(std::span<Device* const> members) {
  return std::ranges::any_of(
      members, [](const Device* member) { return !is_own_cpu(*member) && member->costs().rough; });
}

std::string key_of(const Device& device) { return cat(device.info().name, ' ', device.cache_key()); }

// Keyed by device and file.
struct CostCache {
  std::mutex mutex;
  std::map<std::pair<size_t, std::string>, DeviceCosts> costs;
};
// Never destroyed: other threads may build models until the process ends.
CostCache& cost_cache() {
  static CostCache& all = *std::make_unique<CostCache>().release();
  return all;
}

DeviceCosts find_or_measure(Device& device, const DeviceCosts& table, const std::string& path) {
  const CostFile file(path);
  if (!path.empty()) {
    if (auto known = file.find(key_of(device))) {
      known->int8_speedup = table.int8_speedup;  // not measured
      return *known;
    }
  }
  const DeviceCosts costs = measure_costs(device, table);
  if (!path.empty() && !costs.rough) file.store(key_of(device), costs);
  return costs;
}

}  // namespace

DeviceCosts calibrated_costs(Device& device, std::span<Device* const> members) {
  const DeviceCosts table = device.costs();
  const std::string path = measurements_path();
  if (!table.rough || path == "off" || !is_worth_measuring(members)) return table;
  CostCache& all = cost_cache();
  const std::lock_guard lock(all.mutex);  // concurrent measurements would disturb each other
  const std::pair key(device.info().id, path);
  if (const auto known = all.costs.find(key); known != all.costs.end()) return known->second;
  const DeviceCosts costs = find_or_measure(device, table, path);
  all.costs.emplace(key, costs);  // only completed measurements
  return costs;
}

}  // namespace nnrt
