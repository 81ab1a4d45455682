// The cost of distributing a graph over devices, and cheap distributions.
#pragma once

#include "core/device/device_costs.h"
#include "core/graph/graph.h"

#include <span>
#include <vector>

namespace nnrt {

// The costs of a device, and what it supports.
struct CandidateDevice {
  DeviceCosts costs;
  std::vector<bool> supports;  // by node
};

// Owners are indices into `devices`, one per node. Times are in microseconds, infinite for unsupported nodes;
// they are added up, although independent partitions may overlap.
class PartitionCost {
 public:
  PartitionCost(const Graph& graph, std::vector<CandidateDevice> devices);

  double node_cost(size_t device, NodeId node) const { return times_[device][node]; }
  // Sum over nodes, partition entries and transfers.
  double expected(std::span<const size_t> owners) const;

  // Each node on `device` if supported, otherwise on `other`.
  std::vector<size_t> all_on(size_t device, size_t other) const;
  // As much as possible on either device; partitions of the first one move to the other where that is faster.
  std::vector<size_t> best_between(size_t device, size_t other) const;

 private:
  double transfer_cost(size_t from, size_t to, TensorId id) const;
  double transfer_costs(std::span<const size_t> owners) const;
  std::vector<size_t> improved(std::vector<size_t> owners, size_t device, size_t other) const;

  const Graph& graph_;
  const std::vector<CandidateDevice> devices_;
  const std::vector<Shape> shapes_;
  std::vector<std::vector<double>> times_;    // by device and node
  std::vector<size_t> writers_;               // by tensor: a node, or kHost
  std::vector<std::vector<NodeId>> readers_;  // by tensor
  std::vector<bool> is_output_;               // by tensor
};

}  // namespace nnrt
