#include "backends/vulkan/program/concurrent_steps.h"

#include "backends/vulkan/program/place_barriers.h"

#include <algorithm>
#include <numeric>

namespace nnrt::vulkan {
namespace {

// Lookahead per group. Larger ones compute results long before they are read, which costs memory.
constexpr size_t kLookedAt = 32;

// A dispatch that fills the device gains nothing by running beside others.
bool leaves_room(const Step& step, const DevicePlan& plan) {
  const auto* const dispatch = std::get_if<Dispatch>(&step.command);
  if (dispatch == nullptr) return false;
  uint64_t invocations = 1;
  for (size_t i = 0; i < 3; ++i) invocations *= uint64_t{step.groups[i]} * dispatch->local[i];
  return invocations < invocations_at_once(plan);
}

// Takes a group from the remaining steps. A step may not overtake a remaining one that it depends on.
std::vector<uint32_t> take_group(std::vector<uint32_t>& left, std::span<const Step> steps,
                                 const DevicePlan& plan) {
  std::vector<uint32_t> group, stay;
  TouchedRegions earlier(plan);
  const size_t looked_at = std::min(left.size(), kLookedAt);
  for (size_t i = 0; i < looked_at; ++i) {
    const Step& step = steps[left[i]];
    const bool joins = !earlier.must_precede(step) && (stay.empty() || leaves_room(step, plan));
    (joins ? group : stay).push_back(left[i]);
    earlier.add(step);
  }
  stay.insert(stay.end(), left.begin() + ptrdiff_t(looked_at), left.end());
  left = std::move(stay);
  return group;
}

}  // namespace

WhyNot why_not_concurrent_steps(const DevicePlan& plan) {
  if (!plan.is_software) return {};
  return WhyNot::slower("Software drivers run one dispatch at a time.");
}

std::vector<std::vector<uint32_t>> concurrent_groups(std::span<const Step> steps, const DevicePlan& plan) {
  std::vector<uint32_t> left(steps.size());
  std::iota(left.begin(), left.end(), 0u);
  std::vector<std::vector<uint32_t>> groups;
  while (!left.empty()) groups.push_back(take_group(left, steps, plan));
  return groups;
}

}  // namespace nnrt::vulkan
