#include "core/placement/partition_cost.h"

#include "core/placement/partition.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr size_t kHost = std::numeric_limits<size_t>::max();  // instead of a node or a device
// Attempts times nodes while improving a division: about ten milliseconds.
constexpr size_t kMaxWork = 200'000;

}  // namespace

PartitionCost::PartitionCost(const Graph& graph, std::vector<CandidateDevice> devices)
    : graph_(graph),
      devices_(std::move(devices)),
      shapes_(min_shapes(graph)),
      writers_(graph.tensors.size(), kHost),
      readers_(graph.tensors.size()),
      is_output_(graph.tensors.size(), false) {
  for (const CandidateDevice& device : devices_) {
    std::vector<double>& times = times_.emplace_back();
    for (NodeId node = 0; node < graph.nodes.size(); ++node) {
      times.push_back(device.supports[node]
                          ? node_microseconds(device.costs, graph, graph.nodes[node], shapes_)
                          : kInfinite);
    }
  }
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    for (const TensorId id : graph.nodes[node].outputs) writers_[id] = node;
    for (const TensorId id : graph.nodes[node].inputs) {
      if (!graph.tensors[id].is_constant()) readers_[id].push_back(node);
    }
  }
  for (const TensorId id : graph.outputs) is_output_[id] = true;
}

double PartitionCost::transfer_cost(size_t from, size_t to, TensorId id) const {
  double sum = 0;
  for (const size_t device : {from, to}) {
    if (device != kHost) sum += transfer_microseconds(devices_[device].costs, graph_, id, shapes_);
  }
  return sum;
}

// Each tensor is transferred once to each device that reads but did not write it.
double PartitionCost::transfer_costs(std::span<const size_t> owners) const {
  double sum = 0;
  for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
    const size_t from = writers_[id] == kHost ? kHost : owners[writers_[id]];
    std::vector<size_t> reached{from};
    for (const NodeId reader : readers_[id]) {
      if (std::ranges::find(reached, owners[reader]) != reached.end()) continue;
      reached.push_back(owners[reader]);
      sum += transfer_cost(from, owners[reader], id);
    }
    if (is_output_[id] && from != kHost) sum += transfer_cost(from, kHost, id);
  }
  return sum;
}

double PartitionCost::expected(std::span<const size_t> owners) const {
  double sum = transfer_costs(owners);
  for (NodeId node = 0; node < owners.size(); ++node) sum += times_[owners[node]][node];
  if (sum == kInfinite) return sum;
  for (const Partition& part : partition(graph_, owners)) sum += devices_[part.owner].costs.partition_us;
  return sum;
}

std::vector<size_t> PartitionCost::all_on(size_t device, size_t other) const {
  std::vector<size_t> owners;
  for (const bool supports : devices_[device].supports) owners.push_back(supports ? device : other);
  return owners;
}

// Moves complete partitions between the two devices while that helps.
std::vector<size_t> PartitionCost::improved(std::vector<size_t> owners, size_t device, size_t other) const {
  double best = expected(owners);
  size_t work = 0;
  for (bool again = true; again;) {
    again = false;
    for (const Partition& part : partition(graph_, owners)) {
      if (work > kMaxWork) return owners;
      work += graph_.nodes.size();
      std::vector<size_t> moved = owners;
      for (const NodeId node : part.nodes) moved[node] = part.owner == device ? other : device;
      const double time = expected(moved);
      if (!(time < best)) continue;
      best = time;
      owners = std::move(moved);
      again = true;
      break;
    }
  }
  return owners;
}

std::vector<size_t> PartitionCost::best_between(size_t device, size_t other) const {
  std::vector<size_t> simple = all_on(other, device),
                      divided = improved(all_on(device, other), device, other);
  return expected(divided) < expected(simple) ? divided : simple;
}

}  // namespace nnrt
