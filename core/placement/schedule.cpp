#include "core/placement/schedule.h"

#include <algorithm>
#include <map>

namespace nnrt {

std::vector<std::vector<size_t>> find_dependencies(const Graph& graph,
                                                   std::span<const ScheduledPartition> partitions) {
  std::vector<size_t> writer(graph.tensors.size(), partitions.size());
  for (size_t partition = 0; partition < partitions.size(); ++partition) {
    for (const NodeId node : partitions[partition].nodes) {
      for (const TensorId id : graph.nodes[node].outputs) writer[id] = partition;
    }
  }
  std::vector<std::vector<size_t>> waits(partitions.size());
  std::vector<size_t> waiting(partitions.size(),
                              partitions.size());  // the last partition found to wait for it
  for (size_t partition = 0; partition < partitions.size(); ++partition) {
    for (const NodeId node : partitions[partition].nodes) {
      for (const TensorId id : graph.nodes[node].inputs) {
        const size_t before = writer[id];
        if (before == partitions.size() || before == partition || waiting[before] == partition) continue;
        waiting[before] = partition;
        waits[partition].push_back(before);
      }
    }
  }
  return waits;
}

RunTimes expected_times(const Graph& graph, std::span<const ScheduledPartition> partitions) {
  const std::vector<std::vector<size_t>> waits = find_dependencies(graph, partitions);
  const std::vector<Shape> shapes = min_shapes(graph);
  RunTimes times;
  std::map<const Device*, double> free_at;
  std::vector<double> over_at(partitions.size());
  for (size_t partition = 0; partition < partitions.size(); ++partition) {
    const DeviceCosts costs = partitions[partition].device->costs();
    double time = costs.partition_us;
    for (const NodeId node : partitions[partition].nodes)
      time += node_microseconds(costs, graph, graph.nodes[node], shapes);
    double& device_free = free_at[partitions[partition].device];
    double begin = device_free;
    for (const size_t before : waits[partition]) begin = std::max(begin, over_at[before]);
    device_free = over_at[partition] = begin + time;
    times.overlapped = std::max(times.overlapped, over_at[partition]);
    times.serial += time;
  }
  return times;
}

}  // namespace nnrt
