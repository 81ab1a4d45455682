#include "backends/vulkan/lower/common/row_groups.h"

#include "backends/vulkan/lower/common/lowering_common.h"

#include <algorithm>
#include <bit>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kMaxGroups = 1 << 22;   // times a group still fits in 32 bits
constexpr uint32_t kMaxGroup = 256;        // invocations, of which a processor has several groups at once,
constexpr uint32_t kMaxGroupOfFew = 1024;  // invocations where processors have one group at most,
constexpr uint32_t kMinGroup = 32;         // so few that a subgroup of most devices is full
constexpr uint32_t kMaxAcross = 8;         // rows: vectors of 16 bytes of them fill a line of the cache
constexpr uint32_t kMinAcross = 2;         // and so many what memory gives at once
constexpr uint32_t kLoads = 4;             // loads of an invocation that do not wait for each other
// Bytes of shared memory that row_group.glsl has for an invocation: two vec4, of softmax.comp.
constexpr uint32_t kSharedOfInvocation = 32;
// Loads of a row that a workgroup shares. Rows side by side are read in whole lines anyway; of others an
// invocation alone would read a line for each load.
constexpr uint32_t kMinLength = 16, kMinLengthAcross = 8;

constexpr uint32_t kBlock = 32;  // elements of a block of reduce.comp and norm.comp

// The iterations of so many trips, in loops of a block each.
uint64_t in_blocks(uint32_t trips, uint32_t block) {
  const uint64_t blocks = divide_up(trips, block);
  return trips + blocks + loop_of(blocks);
}

}  // namespace

RowGroup row_group_for(const Rows& rows, const DevicePlan& plan) {
  const uint32_t max_group = std::min(kMaxGroup, std::bit_floor(plan.max_group_invocations));
  const uint32_t min_group = std::clamp(std::bit_ceil(plan.subgroup_size), kMinGroup, max_group);
  RowGroup group;
  group.across = std::min(kMaxAcross, std::bit_floor(std::max(rows.inner, 1u)));
  const auto are_few = [&] { return groups_of(rows, group) < plan.processors; };
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
  return {"Its workgroups ({}) are smaller than {} invocations.", plan.max_group_invocations,
          kMinSharingGroup};
}

WhyNot why_not_row_groups(const Rows& rows, const DevicePlan& plan, bool by_subgroups) {
  if (const WhyNot why = why_not_sharing(plan)) return why;
  if (groups_of(rows, row_group_for(rows, plan)) > kMaxGroups)
    return {"{} rows need too many invocations.", rows.count};
  if (by_subgroups && !plan.subgroup_arithmetic) return "The device's subgroups do not add.";
  if (by_subgroups && rows.inner != 1) return {"{} rows lie side by side.", rows.inner};
  if (plan.is_software) return WhyNot::slower("A processor computes a row as fast alone.");
  if (rows.length < (rows.inner == 1 ? kMinLength : kMinLengthAcross))
    return WhyNot::slower("A row has only {} loads.", rows.length);
  if (rows.inner == 1 || rows.count < invocations_at_once(plan)) return {};
  return WhyNot::slower("{} rows keep all processors busy.", rows.count);
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
