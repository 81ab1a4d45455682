#include "backends/vulkan/lower/common/row_groups.h"

#include "backends/vulkan/lower/common/lowering_common.h"

#include <algorithm>
#include <bit>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kMaxGroups = 1 << 22;   // times the group size still fits in 32 bits
constexpr uint32_t kMaxGroup = 256;        // invocations, if cores run several groups at once
constexpr uint32_t kMaxGroupOfFew = 1024;  // invocations, if each core has one group at most
constexpr uint32_t kMaxAcross = 8;         // rows: that many 16-byte vectors fill a cache line
constexpr uint32_t kMinAcross = 2;         // rows: the smallest memory transaction
constexpr uint32_t kLoads = 4;             // independent loads in flight per invocation
// Shared memory per invocation in row_group.glsl: two vec4 in softmax.comp.
constexpr uint32_t kSharedOfInvocation = 32;
// Shortest rows worth sharing, in loads. Adjacent rows are read in full cache lines either way; a single row
// read by one invocation would fetch a line per load.
constexpr uint32_t kMinLength = 16, kMinLengthAcross = 8;

constexpr uint32_t kBlock = 32;  // elements per block in reduce.comp and norm.comp

// Iterations of a loop over blocks of a nested loop.
uint64_t in_blocks(uint32_t trips, uint32_t block) {
  const uint64_t blocks = divide_up(trips, block);
  return trips + blocks + loop_of(blocks);
}

}  // namespace

RowGroup row_group_for(const Rows& rows, const DevicePlan& plan) {
  const uint32_t max_group = std::min(kMaxGroup, std::bit_floor(plan.max_group_invocations));
  const uint32_t min_group = std::clamp(std::bit_ceil(plan.subgroup_size), plan.full_group, max_group);
  RowGroup group;
  group.across = std::min(kMaxAcross, std::bit_floor(std::max(rows.inner, 1u)));
  const auto are_few = [&] { return groups_of(rows, group) < plan.cores; };
  while (group.across > kMinAcross && are_few() && rows.length > kLoads * max_group / group.across)
    group.across /= 2;
  uint32_t lanes = std::min(std::bit_ceil(std::max(rows.length / 2, 1u)), max_group / group.across);
  if (are_few()) lanes = std::max(lanes, std::bit_ceil(rows.length / (2 * kLoads)));
  const uint32_t room = std::bit_floor(plan.max_shared_bytes / kSharedOfInvocation);
  const uint32_t max_of_few = std::min({kMaxGroupOfFew, std::bit_floor(plan.max_group_invocations), room});
  const uint32_t max = std::max(max_group, are_few() ? max_of_few : 0);
  group.lanes = std::clamp(lanes * group.across, min_group, max) / group.across;
  return group;
}

uint32_t groups_of(const Rows& rows, const RowGroup& group) { return divide_up(rows.count, group.across); }

WhyNot why_not_sharing(const DevicePlan& plan) {
  if (plan.max_group_invocations >= kMinSharingGroup) return {};
  return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations,
          kMinSharingGroup};
}

WhyNot why_not_row_groups(const Rows& rows, const DevicePlan& plan, bool by_subgroups) {
  if (const WhyNot why = why_not_sharing(plan)) return why;
  if (groups_of(rows, row_group_for(rows, plan)) > kMaxGroups)
    return {"{} rows need too many invocations.", rows.count};
  if (by_subgroups && !plan.subgroup_arithmetic) return "The device has no subgroup arithmetic.";
  if (by_subgroups && rows.inner != 1) return {"{} rows are adjacent.", rows.inner};
  if (plan.is_software) return WhyNot::slower("On software drivers one invocation per row is as fast.");
  if (rows.length < (rows.inner == 1 ? kMinLength : kMinLengthAcross))
    return WhyNot::slower("A row has only {} loads.", rows.length);
  if (rows.inner == 1 || rows.count < invocations_at_once(plan)) return {};
  return WhyNot::slower("{} rows already fill all cores.", rows.count);
}

uint64_t row_iterations(uint32_t length, uint32_t passes) { return passes * in_blocks(length, kBlock); }

uint64_t shared_row_iterations(const Rows& rows, const DevicePlan& plan, uint32_t passes) {
  const RowGroup group = row_group_for(rows, plan);
  const uint32_t own = divide_up(rows.length, group.lanes * kLoads);
  return passes * (in_blocks(own, kBlock / kLoads) + reduction_iterations(group.invocations()));
}

void share_rows(Dispatch& dispatch, const Rows& rows, const DevicePlan& plan) {
  const RowGroup group = row_group_for(rows, plan);
  const uint32_t invocations = group.invocations();
  dispatch.constants.push_back(group.across);
  dispatch.threads = threads_for(groups_of(rows, group) * invocations, plan, invocations);
  dispatch.local = {invocations, 1, 1};
}

}  // namespace nnrt::vulkan
