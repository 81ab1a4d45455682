// The cost of a graph that is divided between devices, and divisions that cost little.
#pragma once

#include "core/device/device_costs.h"
#include "core/graph/graph.h"

#include <span>
#include <vector>

namespace nnrt {

class MinCut;

// A device as far as its costs go.
struct CandidateDevice {
  DeviceCosts costs;
  std::vector<bool> supports;  // by node
};

// Owners are indices into `devices`, one for each node. Times are microseconds, infinite for nodes that a
// device does not support; they are sums, although independent partitions may run at the same time.
class PartitionCost {
 public:
  PartitionCost(const Graph& graph, std::vector<CandidateDevice> devices);

  double node_cost(size_t device, NodeId node) const { return times_[device][node]; }
  // The sum over all nodes, entries into partitions and tensors that cross a border.
  double expected(std::span<const size_t> owners) const;

  // Each node on `device` if that supports it, else on `other`.
  std::vector<size_t> all_on(size_t device, size_t other) const;
  // The best found between two devices: cuts of least cost, improved partition by partition. Never more
  // expensive than all on either, where they can be.
  std::vector<size_t> best_between(size_t device, size_t other) const;

 private:
  double transfer_cost(size_t from, size_t to, TensorId id) const;
  double transfer_costs(std::span<const size_t> owners) const;
  std::vector<size_t> cut(size_t device, size_t other, double partition_share) const;
  void add_tensor(MinCut& network, size_t device, size_t other, TensorId id, double partition_us) const;
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
