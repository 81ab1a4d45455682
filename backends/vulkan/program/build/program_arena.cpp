#include "backends/vulkan/program/build/program_arena.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/program/concurrent_steps.h"
#include "core/base/text.h"
#include "core/passes/graph_passes.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace nnrt::vulkan {
namespace {

Status know_accesses(std::span<Step> steps) {
  for (Step& step : steps) {
    const auto* const dispatch = std::get_if<Dispatch>(&step.command);
    if (dispatch == nullptr) continue;
    const EmbeddedShader* const shader = find_shader(dispatch->shader);
    if (shader == nullptr) return Error{Code::failed, cat("There is no shader '", dispatch->shader, "'.")};
    step.access = accesses_of(*dispatch, *shader);
    if (step.access.size() != step.regions.size()) {
      return Error{Code::failed, cat("A dispatch of shader '", dispatch->shader, "' has ",
                                     step.regions.size(), " buffers instead of ", step.access.size(), ".")};
    }
  }
  return {};
}

// Returns each step's group number. A buffer used by one step of a group lives for the entire group.
Result<std::vector<uint32_t>> order_steps(std::vector<Step>& steps, const DevicePlan& plan) {
  std::vector<uint32_t> group_of;
  if (why_skipped(kConcurrentSteps, why_not_concurrent_steps(plan), plan.kernels)) {
    for (uint32_t i = 0; i < steps.size(); ++i) group_of.push_back(i);
    return group_of;
  }
  NNRT_TRY(know_accesses(steps));
  std::vector<Step> ordered;
  uint32_t number = 0;
  for (const std::vector<uint32_t>& group : concurrent_groups(steps, plan)) {
    for (const uint32_t step : group) {
      ordered.push_back(std::move(steps[step]));
      group_of.push_back(number);
    }
    ++number;
  }
  steps = std::move(ordered);
  return group_of;
}

// Lifetimes in terms of `number_of` each step.
std::vector<Lifetime> lifetimes_of(std::span<const Step> steps, std::span<const ArenaBuffer> buffers,
                                   const std::vector<uint32_t>& number_of) {
  std::vector<Lifetime> lifetimes;
  for (const ArenaBuffer& buffer : buffers)
    lifetimes.push_back({buffer.bytes, std::numeric_limits<uint32_t>::max(), 0});
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const BufferRegion& region : steps[i].regions) {
      if (region.kind != BufferRegion::Kind::arena) continue;
      Lifetime& lifetime = lifetimes[region.index];
      lifetime.first = std::min(lifetime.first, number_of[i]);
      lifetime.last = std::max(lifetime.last, number_of[i]);
    }
  }
  return lifetimes;
}

}  // namespace

Status place_arena(Program& program, std::span<const ArenaBuffer> buffers, const DevicePlan& plan) {
  NNRT_ASSIGN(const std::vector<uint32_t> group_of, order_steps(program.steps, plan));
  const std::vector<Lifetime> lifetimes = lifetimes_of(program.steps, buffers, group_of);
  const MemoryPlan arena = plan_memory(lifetimes, plan.storage_alignment);
  program.arena_bytes = arena.bytes;
  for (size_t i = 0; i < buffers.size(); ++i)
    program.placed.push_back({buffers[i].buffer, arena.offsets[i], lifetimes[i]});
  for (Step& step : program.steps) {
    for (BufferRegion& region : step.regions) {
      if (region.kind != BufferRegion::Kind::arena) continue;
      region.offset += arena.offsets[region.index];
      region.index = 0;
    }
  }
  return {};
}

}  // namespace nnrt::vulkan
