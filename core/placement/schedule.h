// The order in which partitions can run, and how long that takes.
#pragma once

#include "core/device/device.h"

#include <span>
#include <vector>

namespace nnrt {

// Nodes that a device runs as a unit, in execution order.
struct ScheduledPartition {
  const Device* device = nullptr;
  std::span<const NodeId> nodes;
};

// For each partition, those whose results it reads.
std::vector<std::vector<size_t>> find_dependencies(const Graph& graph,
                                                   std::span<const ScheduledPartition> partitions);

// Microseconds per run according to Device::costs(): with all partitions in sequence, and with different
// devices in parallel. Transfers are not counted.
struct RunTimes {
  double serial = 0, overlapped = 0;
};
RunTimes expected_times(const Graph& graph, std::span<const ScheduledPartition> partitions);

// Returns whether running partitions in parallel saves more than the cost of handing them to other threads.
constexpr bool should_overlap(const RunTimes& times) {
  constexpr double kHandingOver = 50;
  return times.serial - times.overlapped > kHandingOver;
}

}  // namespace nnrt
