#include "backends/vulkan/lower/attention/lower_attention_decode.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"

#include <algorithm>
#include <bit>

namespace nnrt::vulkan {
namespace {

// Must match attention_decode.comp.
constexpr uint32_t kInvocations = 128;
constexpr uint32_t kSharedBytes = (kInvocations * (9 + 2) + 32 + 1) * 16;

constexpr int64_t kFewRows = 8;
// Workgroups wanted per core, and the fewest keys per workgroup that are worth a second pass.
constexpr uint32_t kGroupsPerCore = 2, kMinKeys = 256;

struct MergePush {
  uint32_t count = 0, lines = 0, splits = 0, parts = 0, vec4s = 0;
  uint32_t rows = 0, queries = 0, key_heads = 0, group = 0;
  std::array<uint32_t, 3> result_strides{};
};

// Must match attention_registers.comp.
constexpr uint32_t kKeys = 2, kMaxVectors = 2;
// Registers per invocation that has two vectors of four rows, as RADV compiles it.
constexpr uint32_t kRegistersOfTwo = 96;
constexpr uint32_t kMinCluster = 4, kMaxCluster = 16, kRegistersGroup = 64;

// Attention by attention_registers or by attention_decode.
struct FewRows {
  const AttentionWork& work;
  bool in_registers;
};

// Invocations that exchange values. Only GPUs without fast shared memory are known to have subgroups of one
// size.
uint32_t cluster_of(const DevicePlan& plan) {
  if (plan.shuffled < kMinCluster) return 0;
  return plan.fast_shared_memory ? kMinCluster : std::min(std::bit_floor(plan.shuffled), kMaxCluster);
}

AttentionGroups groups_for(const FewRows& few, const DevicePlan& plan) {
  AttentionGroups groups{.rows = few.work.shape.rows() == 1 ? 1u : 4u,
                         .parts = kInvocations,
                         .all_parts = few.work.value_vectors(),
                         .invocations = kInvocations};
  if (!few.in_registers) return groups;
  groups.invocations = cluster_of(plan);
  const uint32_t vectors = divide_up(groups.all_parts, groups.invocations);
  const bool spills = groups.rows > 1 && plan.max_registers < kRegistersOfTwo;
  groups.parts = std::clamp(vectors, 1u, spills ? 1 : kMaxVectors) * groups.invocations;
  groups.together = kRegistersGroup / groups.invocations;
  return groups;
}

// Keys processed at a time.
uint32_t tile_of(const FewRows& few, const AttentionGroups& groups) {
  return few.in_registers ? kKeys * groups.invocations : kInvocations;
}

// Loop iterations over `keys` keys.
uint64_t registers_iterations(const AttentionWork& work, const AttentionGroups& groups, uint32_t keys) {
  const uint64_t of_tile = loop_of(work.query_vectors()) + loop_of(std::bit_width(groups.invocations)) +
                           loop_of(groups.invocations);
  return loop_by(keys, kKeys * groups.invocations, of_tile) + 2 * loop_of(std::bit_width(groups.invocations));
}

uint64_t decode_iterations(const AttentionWork& work, uint32_t keys) {
  constexpr uint32_t kSlice = 8;
  const uint32_t shares = kInvocations / std::clamp(work.value_vectors(), 1u, kInvocations);
  const uint64_t products = loop_by(work.query_vectors(), kSlice, 2 * loop_of(kSlice));
  const uint64_t of_tile = products + loop_of(std::bit_width(kInvocations)) + loop_by(kInvocations, shares);
  return loop_by(keys, kInvocations, of_tile) + loop_of(shares);
}

uint64_t workgroups(const FewRows& few, const DevicePlan& plan) {
  const AttentionGroups groups = groups_for(few, plan);
  const auto rows = uint32_t(few.work.shape.rows());
  const uint64_t units = uint64_t(few.work.shape.matrices()) * divide_up(rows, groups.rows) *
                         divide_up(groups.all_parts, groups.parts);
  return (units + groups.together - 1) / groups.together;
}

// Splits the keys at multiples of a tile.
AttentionGroups split_for(const FewRows& few, const DevicePlan& plan) {
  AttentionGroups groups = groups_for(few, plan);
  const auto keys = uint32_t(few.work.shape.keys);
  const uint32_t tile = tile_of(few, groups);
  const uint64_t enough =
      uint64_t{plan.cores} * kGroupsPerCore / std::max<uint64_t>(workgroups(few, plan), 1);
  const auto wanted = uint32_t(std::clamp<uint64_t>(enough, 2, std::max(2u, keys / kMinKeys)));
  groups.split_keys = divide_up(divide_up(keys, wanted), tile) * tile;
  groups.splits = divide_up(keys, groups.split_keys);
  return groups;
}

Result<Dispatch> dispatch_of(const LoweringContext& context, const FewRows& few,
                             const AttentionGroups& groups, std::string_view variant) {
  const AttentionWork& work = few.work;
  const std::string_view kernel = few.in_registers ? "attention_registers" : "attention_decode";
  NNRT_ASSIGN(Dispatch dispatch,
              attention_dispatch(context, work, groups, attention_shader(work, kernel, variant)));
  if (few.in_registers) {
    dispatch.iterations += registers_iterations(work, groups, groups.split_keys);
    dispatch.constants.insert(dispatch.constants.end(),
                              {groups.invocations, groups.parts / groups.invocations});
  } else {
    dispatch.iterations += decode_iterations(work, groups.split_keys);
  }
  return dispatch;
}

WhyNot why_not_split(const LoweringContext& context, const FewRows& few) {
  const AttentionWork& work = few.work;
  if (work.shape.keys <= kInvocations) return {"{} keys fit in one tile.", work.shape.keys};
  if (work.shape.keys < int64_t{2} * kMinKeys) return WhyNot::slower("It has only {} keys.", work.shape.keys);
  const uint64_t groups = workgroups(few, context.plan);
  if (groups < uint64_t{context.plan.cores} * kGroupsPerCore) return {};
  return WhyNot::slower("{} workgroups already fill {} cores.", groups, context.plan.cores);
}

Status add_split(const LoweringContext& context, const FewRows& few) {
  const AttentionWork& work = few.work;
  const AttentionGroups groups = split_for(few, context.plan);
  const uint32_t vec4s = work.value_vectors();
  const auto lines = uint32_t(work.shape.matrices() * work.shape.rows());
  NNRT_TRY(count_of({groups.splits, lines, vec4s, 4}));
  const Buffer sums = context.sink.scratch(size_t(groups.splits) * lines * vec4s * 4 * sizeof(float));
  const Buffer stats = context.sink.scratch(size_t(groups.splits) * lines * 2 * sizeof(float));
  NNRT_ASSIGN(Dispatch dispatch, dispatch_of(context, few, groups, "_split"));
  dispatch.buffers.insert(dispatch.buffers.end(), {sums, stats});
  context.sink.add(std::move(dispatch));
  const Attention& shape = work.shape;
  const MergePush push{.count = lines * vec4s,
                       .lines = lines,
                       .splits = groups.splits,
                       .parts = work.parts(),
                       .vec4s = vec4s,
                       .rows = uint32_t(shape.rows()),
                       .queries = uint32_t(shape.queries),
                       .key_heads = uint32_t(shape.key_heads),
                       .group = uint32_t(shape.group),
                       .result_strides = strides_of(work, work.result)};
  context.sink.add(Dispatch{.shader = work.width == 4 ? "attention_merge_f32_vec4" : "attention_merge_f32",
                            .constants = {shape.keeps_nan},
                            .push = Push(push),
                            .buffers = {sums, stats, work.result.buffer},
                            .threads = threads_for(push.count, context.plan),
                            .local = {kGroup, 1, 1},
                            .iterations = 2 * loop_of(push.splits)});
  return {};
}

Status add_whole(const LoweringContext& context, const FewRows& few) {
  AttentionGroups groups = groups_for(few, context.plan);
  groups.split_keys = uint32_t(few.work.shape.keys);
  NNRT_ASSIGN(Dispatch dispatch, dispatch_of(context, few, groups, ""));
  dispatch.buffers.push_back(few.work.result.buffer);
  context.sink.add(std::move(dispatch));
  return {};
}

constexpr Kernel<FewRows> kShares[] = {
    {"split_keys", why_not_split, add_split},
    {"unsplit_keys", nullptr, add_whole},
};

WhyNot why_not_few(const LoweringContext& context, const AttentionWork& work) {
  if (context.plan.is_software)
    return WhyNot::slower("On software drivers one invocation per row is as fast.");
  if (work.shape.rows() > kFewRows)
    return WhyNot::slower("{} rows already share the keys.", work.shape.rows());
  return {};
}

}  // namespace

WhyNot why_not_decode(const LoweringContext& context, const AttentionWork& work) {
  const DevicePlan& plan = context.plan;
  if (plan.max_group_invocations < kInvocations) {
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations,
            kInvocations};
  }
  if (plan.max_shared_bytes < kSharedBytes)
    return {"Shared memory is limited to {} bytes; it needs {}.", plan.max_shared_bytes, kSharedBytes};
  return why_not_few(context, work);
}

WhyNot why_not_registers(const LoweringContext& context, const AttentionWork& work) {
  const DevicePlan& plan = context.plan;
  if (cluster_of(plan) == 0) return "Invocations cannot exchange values by shuffles.";
  if (plan.max_group_invocations < kRegistersGroup) {
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations,
            kRegistersGroup};
  }
  if (const WhyNot why = why_not_few(context, work)) return why;
  return plan.fast_shared_memory ? WhyNot::slower("Shared memory is faster.") : WhyNot();
}

Status add_decode(const LoweringContext& context, const AttentionWork& work) {
  return lower_by_list(std::span<const Kernel<FewRows>>(kShares), context, FewRows{work, false});
}

Status add_registers(const LoweringContext& context, const AttentionWork& work) {
  return lower_by_list(std::span<const Kernel<FewRows>>(kShares), context, FewRows{work, true});
}

std::vector<std::string_view> decode_kernels() { return names_of(std::span<const Kernel<FewRows>>(kShares)); }

}  // namespace nnrt::vulkan
