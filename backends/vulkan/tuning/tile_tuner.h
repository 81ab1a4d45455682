// Measures the fastest tile per class of GEMMs and convolutions, once per device.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"
#include "backends/vulkan/program/trial_lowering.h"
#include "backends/vulkan/tuning/tile_file.h"
#include "core/graph/graph.h"

#include <chrono>
#include <mutex>
#include <set>

namespace nnrt::vulkan {

// Thread safe. Never makes a Build fail: what cannot be measured is chosen by the lists.
class TileTuner {
 public:
  // A Build starts no measurement after this time.
  static constexpr std::chrono::milliseconds kBudget{100};

  explicit TileTuner(TileFile file) : file_(std::move(file)) {}

  // Returns what is known; the first call reads the file.
  MeasuredTilesPtr known();
  // The same, after measuring what the nodes of the graph (with static shapes) need, if the plan enables it
  // and within the budget. Later Builds continue.
  MeasuredTilesPtr known_for(Context& context, const Graph& graph, const DevicePlan& plan) noexcept;

 private:
  void read_file();
  MeasuredTiles measure(Context& context, const Graph& graph, DevicePlan plan);
  Result<TileOption> measure(Context& context, const NodeView& node, const TileRequest& request,
                             const DevicePlan& plan) const;

  std::mutex mutex_;  // one measurement at a time, so that they don't disturb each other
  const TileFile file_;
  MeasuredTilesPtr known_;      // null until the file is read
  std::set<TileClass> failed_;  // not tried again
};

}  // namespace nnrt::vulkan
