#include "core/placement/run_watch.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/placement/calibrated_costs.h"
#include "core/platform/log.h"

#include <algorithm>
#include <cmath>

namespace nnrt {
namespace {

constexpr double kMissed = 1.5, kMaxCorrection = 4;

}  // namespace

ExpectedTime expected_time(const DeviceCosts& costs, const Graph& graph, std::span<const NodeId> nodes,
                           std::span<const TensorId> inputs, std::span<const TensorId> outputs) {
  const std::vector<Shape> shapes = min_shapes(graph);
  ExpectedTime time{costs.partition_us, 0};
  for (const NodeId node : nodes) time.work += node_microseconds(costs, graph, graph.nodes[node], shapes);
  for (const auto& tensors : {inputs, outputs}) {
    for (const TensorId id : tensors) time.work += transfer_microseconds(costs, graph, id, shapes);
  }
  return time;
}

bool is_missed(const ExpectedTime& expected, double observed) {
  return observed > kMissed * expected.sum() || expected.sum() > kMissed * observed;
}

DeviceCosts corrected(const DeviceCosts& costs, const ExpectedTime& expected, double observed) {
  if (!(expected.work > 0)) return costs;
  const double factor =
      std::clamp((observed - expected.entry) / expected.work, 1 / kMaxCorrection, kMaxCorrection);
  DeviceCosts made = costs;
  made.node_us *= factor;
  for (double& rate : made.gflops) rate /= factor;
  made.gbytes /= factor;
  made.transfer_gbytes /= factor;
  return made;
}

void RunWatch::add(Clock::duration run) {
  const double time = std::chrono::duration<double, std::micro>(run).count();
  const std::lock_guard lock(mutex_);
  if (runs_ == kRuns) return;
  ++runs_;
  if (runs_ == 2 || (runs_ > 2 && time < shortest_)) shortest_ = time;
  if (runs_ < kRuns) return;
  is_over_ = true;
  best_effort([&] { decide(shortest_); });
}

void RunWatch::decide(double shortest) const {
  if (!is_missed(expected_, shortest)) return;
  const bool is_known = stored_costs(device_) == costs_;
  log(LogLevel::info,
      cat("Runs of ", operations_, " operations on ", device_.info().name, " take ", std::lround(shortest),
          " us, but were expected to take ", std::lround(expected_.sum()), " us",
          is_known ? ": the costs of the device are corrected." : "."));
  if (is_known) keep_costs(device_, corrected(costs_, expected_, shortest));
}

}  // namespace nnrt
