#include "core/schedule.h"

#include <algorithm>
#include <map>

namespace nnrt {

std::vector<std::vector<size_t>> find_waits(const Graph& graph, std::span<const Part> parts) {
  std::vector<size_t> writer(graph.tensors.size(), parts.size());
  for (size_t part = 0; part < parts.size(); ++part) {
    for (const NodeId node : parts[part].nodes) {
      for (const TensorId id : graph.nodes[node].outputs) writer[id] = part;
    }
  }
  std::vector<std::vector<size_t>> waits(parts.size());
  for (size_t part = 0; part < parts.size(); ++part) {
    for (const NodeId node : parts[part].nodes) {
      for (const TensorId id : graph.nodes[node].inputs) {
        const size_t before = writer[id];
        if (before == parts.size() || before == part) continue;
        if (std::ranges::find(waits[part], before) == waits[part].end()) waits[part].push_back(before);
      }
    }
  }
  return waits;
}

RunTimes expected_times(const Graph& graph, std::span<const Part> parts) {
  const std::vector<std::vector<size_t>> waits = find_waits(graph, parts);
  const std::vector<Shape> shapes = least_shapes(graph);
  RunTimes times;
  std::map<const Device*, double> free_at;
  std::vector<double> over_at(parts.size());
  for (size_t part = 0; part < parts.size(); ++part) {
    const DeviceCosts costs = parts[part].device->costs();
    double time = costs.step_us;
    for (const NodeId node : parts[part].nodes)
      time += node_microseconds(costs, graph, graph.nodes[node], shapes);
    double& device_free = free_at[parts[part].device];
    double begin = device_free;
    for (const size_t before : waits[part]) begin = std::max(begin, over_at[before]);
    device_free = over_at[part] = begin + time;
    times.overlapped = std::max(times.overlapped, over_at[part]);
    times.serial += time;
  }
  return times;
}

}  // namespace nnrt
