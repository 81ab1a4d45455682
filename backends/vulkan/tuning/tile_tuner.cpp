#include "backends/vulkan/tuning/tile_tuner.h"

#include "backends/vulkan/lower/gemm/shared_tiles.h"
#include "backends/vulkan/tuning/dispatch_timer.h"
#include "core/base/exceptions.h"
#include "core/platform/log.h"
#include "core/platform/trace.h"
#include "core/schema/infer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr int kRounds = 3;
constexpr double kOutOfRace = 2;         // relative to the fastest in the first round
constexpr double kClearlyFaster = 0.95;  // relative to the lists' choice, so that noise changes nothing
// Longer ones need no tuning, because they have plenty of tiles, and measuring would block the device for
// long.
constexpr double kMaxMicroseconds = 20e3;
constexpr double kShortMicroseconds = 200;
constexpr uint32_t kRepeatsOfShort = 4;

double expected_microseconds(const TileClass& of, const DeviceCosts& costs) {
  const double multiplied = std::exp2(of.rows + of.columns + of.inner + of.matrices);
  return 2 * multiplied / (costs.gflops[size_t(CostClass::gemm)] * 1e3);
}

// The dispatches that the tile choice affects, for each option.
Result<std::vector<std::vector<TrialDispatch>>> works_of(const NodeView& node, const TileRequest& request,
                                                         DevicePlan plan) {
  std::vector<std::vector<TrialDispatch>> works;
  for (const TileOption& option : request.options) {
    plan.measured_tiles = std::make_shared<const MeasuredTiles>(MeasuredTiles{{request.of, option}});
    NNRT_ASSIGN(TrialCommands commands, trial_commands(node, *lowering(node.op()), plan));
    std::erase_if(commands.dispatches,
                  [](const TrialDispatch& one) { return !is_of_tiles(one.dispatch.shader); });
    works.push_back(std::move(commands.dispatches));
  }
  return works;
}

// The shortest time per work; the works take turns.
Result<std::vector<double>> shortest_times(DispatchTimer& timer, size_t count) {
  std::vector<double> shortest(count, std::numeric_limits<double>::infinity());
  for (size_t i = 0; i < count; ++i) NNRT_TRY(timer.run(i));  // warm-up of shaders and clocks
  for (int round = 0; round < kRounds; ++round) {
    const double best = *std::ranges::min_element(shortest);
    for (size_t i = 0; i < count; ++i) {
      if (round > 0 && shortest[i] > best * kOutOfRace) continue;
      NNRT_ASSIGN(const double took, timer.run(i));
      shortest[i] = std::min(shortest[i], took);
    }
  }
  return shortest;
}

}  // namespace

void TileTuner::read_file() {
  if (known_ == nullptr) known_ = std::make_shared<const MeasuredTiles>(file_.read());
}

MeasuredTilesPtr TileTuner::known() {
  const std::lock_guard lock(mutex_);
  read_file();
  return known_;
}

MeasuredTilesPtr TileTuner::known_for(Context& context, const Graph& graph, const DevicePlan& plan) noexcept {
  const Result<MeasuredTilesPtr> known = catching([&]() -> Result<MeasuredTilesPtr> {
    if (plan.tuning == Tuning::off) return MeasuredTilesPtr();
    const std::lock_guard lock(mutex_);
    read_file();
    if (plan.tuning == Tuning::kept || plan.queue.clock.valid_bits == 0) return known_;
    const trace::Span span("compile", "measure tiles");
    MeasuredTiles measured = measure(context, graph, plan);
    if (measured.empty()) return known_;
    file_.store(measured);
    measured.insert(known_->begin(), known_->end());
    known_ = std::make_shared<const MeasuredTiles>(std::move(measured));
    return known_;
  });
  return known.ok() ? known.value() : nullptr;
}

MeasuredTiles TileTuner::measure(Context& context, const Graph& graph, DevicePlan plan) {
  const Clock::time_point begin = Clock::now();
  const std::vector<const std::byte*> values = constant_values(graph);
  plan.measured_tiles = known_;
  MeasuredTiles measured;
  for (const Node& node : graph.nodes) {
    const Lowering* const rules = lowering(node.op);
    if (rules == nullptr) continue;
    const NodeView view(graph, node, graph.shapes, values);
    const auto commands = trial_commands(view, *rules, plan);
    if (!commands.ok()) continue;
    for (const TileRequest& request : commands.value().tiles) {
      const TileClass& of = request.of;
      if (request.options.size() < 2 || known_->contains(of) || measured.contains(of) || failed_.contains(of))
        continue;
      if (Clock::now() - begin > kBudget || context.lost()) return measured;
      const auto option = measure(context, view, request, plan);
      if (option.ok()) {
        measured.emplace(of, option.value());
      } else {
        failed_.insert(of);
        log(LogLevel::info, cat("Could not measure a tile: ", option.error().message));
      }
    }
  }
  return measured;
}

Result<TileOption> TileTuner::measure(Context& context, const NodeView& node, const TileRequest& request,
                                      const DevicePlan& plan) const {
  const double expected = expected_microseconds(request.of, plan.costs);
  if (expected > kMaxMicroseconds) return unsupported("It takes too long.");
  NNRT_ASSIGN(const auto works, works_of(node, request, plan));
  DispatchTimer timer(context);
  NNRT_TRY(timer.prepare(works, expected < kShortMicroseconds ? kRepeatsOfShort : 1));
  NNRT_ASSIGN(const std::vector<double> times, shortest_times(timer, works.size()));
  const auto best = size_t(std::ranges::min_element(times) - times.begin());
  return request.options[times[best] < times[0] * kClearlyFaster ? best : 0];
}

}  // namespace nnrt::vulkan
