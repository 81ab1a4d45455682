// When the parts of a model can run, and how long that takes.
#pragma once

#include "core/device/device.h"

#include <span>
#include <vector>

namespace nnrt {

// Nodes that one device runs at a time, in an order in which parts can run.
struct ScheduledPartition {
  const Device* device = nullptr;
  std::span<const NodeId> nodes;
};

// For each part those that must be over before it begins: they write what it reads.
std::vector<std::vector<size_t>> find_dependencies(const Graph& graph,
                                                   std::span<const ScheduledPartition> partitions);

// Microseconds of a run by Device::costs(): where all parts run one after the other, and where those of
// different devices may run at the same time. Borders are not counted.
struct RunTimes {
  double serial = 0, overlapped = 0;
};
RunTimes expected_times(const Graph& graph, std::span<const ScheduledPartition> partitions);

// Returns whether running parts at the same time saves more than handing them to other threads takes.
constexpr bool should_overlap(const RunTimes& times) {
  constexpr double kHandingOver = 50;
  return times.serial - times.overlapped > kHandingOver;
}

}  // namespace nnrt
