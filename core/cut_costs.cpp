#include "core/cut_costs.h"

#include "core/min_cut.h"
#include "core/partition.h"

#include <algorithm>
#include <limits>

namespace nnrt {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr size_t kHost = std::numeric_limits<size_t>::max();  // instead of a node or a device
// Tries times nodes when a division is improved: some ten milliseconds.
constexpr size_t kMostWork = 200'000;

uint64_t nanoseconds(double microseconds) {
  return microseconds >= double(MinCut::kNever) / 1e6 ? MinCut::kNever : uint64_t(microseconds * 1e3 + 0.5);
}

}  // namespace

CutCosts::CutCosts(const Graph& graph, std::vector<CutDevice> devices)
    : graph_(graph),
      devices_(std::move(devices)),
      shapes_(least_shapes(graph)),
      writers_(graph.tensors.size(), kHost),
      readers_(graph.tensors.size()),
      is_output_(graph.tensors.size(), false) {
  for (const CutDevice& device : devices_) {
    std::vector<double>& times = times_.emplace_back();
    for (NodeId node = 0; node < graph.nodes.size(); ++node) {
      times.push_back(device.takes[node] ? node_microseconds(device.costs, graph, graph.nodes[node], shapes_)
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

double CutCosts::of_border(size_t from, size_t to, TensorId id) const {
  double sum = 0;
  for (const size_t device : {from, to}) {
    if (device != kHost) sum += border_microseconds(devices_[device].costs, graph_, id, shapes_);
  }
  return sum;
}

// Each tensor goes once to each device that reads it and did not write it.
double CutCosts::of_borders(std::span<const size_t> owners) const {
  double sum = 0;
  for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
    const size_t from = writers_[id] == kHost ? kHost : owners[writers_[id]];
    std::vector<size_t> reached{from};
    for (const NodeId reader : readers_[id]) {
      if (std::ranges::find(reached, owners[reader]) != reached.end()) continue;
      reached.push_back(owners[reader]);
      sum += of_border(from, owners[reader], id);
    }
    if (is_output_[id] && from != kHost) sum += of_border(from, kHost, id);
  }
  return sum;
}

double CutCosts::expected(std::span<const size_t> owners) const {
  double sum = of_borders(owners);
  for (NodeId node = 0; node < owners.size(); ++node) sum += times_[owners[node]][node];
  if (sum == kInfinite) return sum;
  for (const Partition& part : partition(graph_, owners)) sum += devices_[part.owner].costs.step_us;
  return sum;
}

std::vector<size_t> CutCosts::wholly(size_t device, size_t other) const {
  std::vector<size_t> owners;
  for (const bool takes : devices_[device].takes) owners.push_back(takes ? device : other);
  return owners;
}

// The places of the network are nodes; those on the source's side are the device's. The host is with the
// other one.
void CutCosts::add_tensor(MinCut& network, size_t device, size_t other, TensorId id, double step_us) const {
  constexpr size_t kFirstNode = 2;
  const size_t writer = writers_[id] == kHost ? MinCut::kSink : kFirstNode + writers_[id];
  const uint64_t moving = nanoseconds(of_border(device, other, id));
  const uint64_t leaving = moving + nanoseconds(step_us);
  // Once for all readers: through a place that is where the first of them is on the other side.
  if (writers_[id] != kHost && (!readers_[id].empty() || is_output_[id])) {
    const size_t any = network.add_place();
    network.add_edge(writer, any, leaving);
    for (const NodeId reader : readers_[id]) network.add_edge(any, kFirstNode + reader, MinCut::kNever);
    if (is_output_[id]) network.add_edge(any, MinCut::kSink, MinCut::kNever);
  }
  if (!readers_[id].empty()) {
    const size_t any = network.add_place();
    network.add_edge(any, writer, moving);
    for (const NodeId reader : readers_[id]) network.add_edge(kFirstNode + reader, any, MinCut::kNever);
  }
}

// What entering a partition costs is no matter of single tensors. Each tensor that leaves the device bears a
// share of it.
std::vector<size_t> CutCosts::cut(size_t device, size_t other, double share_of_step) const {
  MinCut network;
  for (size_t node = 0; node < graph_.nodes.size(); ++node) {
    const size_t place = network.add_place();
    network.add_edge(MinCut::kSource, place, nanoseconds(times_[other][node]));
    network.add_edge(place, MinCut::kSink, nanoseconds(times_[device][node]));
  }
  const double step_us = devices_[device].costs.step_us * share_of_step;
  for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
    if (!graph_.tensors[id].is_constant()) add_tensor(network, device, other, id, step_us);
  }
  const std::vector<bool> with_source = network.solve();
  std::vector<size_t> owners;
  for (NodeId node = 0; node < graph_.nodes.size(); ++node)
    owners.push_back(with_source[2 + node] ? device : other);
  return owners;
}

// Moves whole partitions to the other of two devices as long as that helps.
std::vector<size_t> CutCosts::improved(std::vector<size_t> owners, size_t device, size_t other) const {
  double best = expected(owners);
  size_t work = 0;
  for (bool again = true; again;) {
    again = false;
    for (const Partition& part : partition(graph_, owners)) {
      if (work > kMostWork) return owners;
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

std::vector<size_t> CutCosts::best_between(size_t device, size_t other) const {
  std::vector<size_t> best = wholly(other, device);
  const auto consider = [&](std::vector<size_t> owners) {
    if (expected(owners) < expected(best)) best = std::move(owners);
  };
  consider(improved(wholly(device, other), device, other));
  for (const double share : {1.0, 0.25, 0.0}) consider(improved(cut(device, other, share), device, other));
  return best;
}

double CutCosts::of_own_borders(std::span<const NodeId> part, std::span<const size_t> owners) const {
  double sum = devices_[owners[part.front()]].costs.step_us;
  const size_t device = owners[part.front()];
  std::vector<TensorId> seen;
  for (const NodeId node : part) {
    for (const auto* tensors : {&graph_.nodes[node].inputs, &graph_.nodes[node].outputs}) {
      for (const TensorId id : *tensors) {
        if (graph_.tensors[id].is_constant() || std::ranges::find(seen, id) != seen.end()) continue;
        seen.push_back(id);
        const bool enters = writers_[id] == kHost || owners[writers_[id]] != device;
        const bool leaves = is_output_[id] || std::ranges::any_of(readers_[id], [&](NodeId reader) {
                              return owners[reader] != device;
                            });
        if (enters || leaves) sum += of_border(device, kHost, id);
      }
    }
  }
  return sum;
}

std::vector<size_t> CutCosts::without_islands(std::vector<size_t> owners, size_t device, size_t other) const {
  size_t work = 0;
  for (bool again = true; again;) {
    again = false;
    for (const Partition& part : partition(graph_, owners)) {
      if (part.owner != device || work > kMostWork) continue;
      double time = 0;
      for (const NodeId node : part.nodes) time += times_[device][node];
      if (time > of_own_borders(part.nodes, owners)) continue;
      work += graph_.nodes.size();
      std::vector<size_t> moved = owners;
      for (const NodeId node : part.nodes) moved[node] = other;
      if (!(expected(moved) < expected(owners))) continue;
      owners = std::move(moved);
      again = true;
      break;
    }
  }
  return owners;
}

}  // namespace nnrt
