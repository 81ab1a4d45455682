// What it takes to run a graph that is divided between devices, and divisions that take little.
#pragma once

#include "core/device_costs.h"
#include "core/graph.h"

#include <span>
#include <vector>

namespace nnrt {

class MinCut;

// A device as far as its costs go.
struct CutDevice {
  DeviceCosts costs;
  std::vector<bool> takes;  // by node
};

// Owners are places in `devices`, one for each node. Times are microseconds, infinite where a device does not
// take its nodes; they are sums, although independent partitions may run at the same time.
class CutCosts {
 public:
  CutCosts(const Graph& graph, std::vector<CutDevice> devices);

  double of_node(size_t device, NodeId node) const { return times_[device][node]; }
  // Of all nodes, of entering each partition, and of all tensors that cross a border.
  double expected(std::span<const size_t> owners) const;

  // Each node on `device` where that takes it, else on `other`.
  std::vector<size_t> wholly(size_t device, size_t other) const;
  // The best found between two devices: cuts of least cost, improved partition by partition. Never more
  // expensive than wholly on either, where they can be.
  std::vector<size_t> best_between(size_t device, size_t other) const;
  // `owners`, with what `device` gains nothing by moved to `other`: partitions that take it less time than
  // their borders.
  std::vector<size_t> without_islands(std::vector<size_t> owners, size_t device, size_t other) const;

 private:
  double of_border(size_t from, size_t to, TensorId id) const;
  double of_borders(std::span<const size_t> owners) const;
  double of_own_borders(std::span<const NodeId> part, std::span<const size_t> owners) const;
  std::vector<size_t> cut(size_t device, size_t other, double share_of_step) const;
  void add_tensor(MinCut& network, size_t device, size_t other, TensorId id, double step_us) const;
  std::vector<size_t> improved(std::vector<size_t> owners, size_t device, size_t other) const;

  const Graph& graph_;
  const std::vector<CutDevice> devices_;
  const std::vector<Shape> shapes_;
  std::vector<std::vector<double>> times_;    // by device and node
  std::vector<size_t> writers_;               // by tensor: a node, or kHost
  std::vector<std::vector<NodeId>> readers_;  // by tensor
  std::vector<bool> is_output_;               // by tensor
};

}  // namespace nnrt
