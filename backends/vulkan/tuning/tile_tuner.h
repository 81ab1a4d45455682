// Measures which tile computes a class of products or convolutions fastest, once for each device.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"
#include "backends/vulkan/program/trial_lowering.h"
#include "backends/vulkan/tuning/tile_file.h"
#include "core/graph/graph.h"

#include <chrono>
#include <mutex>
#include <set>

namespace nnrt::vulkan {

// Thread safe. Choices never make a Build fail: what cannot be measured is chosen by the lists.
class TileTuner {
 public:
  // A Build begins no measurement once it has measured for so long.
  static constexpr std::chrono::milliseconds kBudget{100};

  explicit TileTuner(TileFile file) : file_(std::move(file)) {}

  // Returns what is known by now; the file is read in the first call.
  MeasuredTilesPtr known();
  // The same, and where the plan says so, measured before, as far as the budget goes: what the nodes of a
  // graph of known shapes want. Later Builds go on.
  MeasuredTilesPtr known_for(Context& context, const Graph& graph, const DevicePlan& plan) noexcept;

 private:
  void read_file();
  MeasuredTiles measure(Context& context, const Graph& graph, DevicePlan plan);
  // Nothing where it cannot be measured.
  Result<TileOption> measure(Context& context, const NodeView& node, const TileRequest& request,
                             const DevicePlan& plan) const;

  std::mutex mutex_;  // measurements side by side would disturb each other
  const TileFile file_;
  MeasuredTilesPtr known_;      // null before the file is read
  std::set<TileClass> failed_;  // these are not tried again
};

}  // namespace nnrt::vulkan
