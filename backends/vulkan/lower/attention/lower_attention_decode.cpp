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

AttentionGroups groups_for(const AttentionWork& work) {
  return {.rows = work.shape.rows() == 1 ? 1u : 4u,
          .parts = kInvocations,
          .all_parts = work.value_vectors(),
          .invocations = kInvocations};
}

uint64_t decode_iterations(const AttentionWork& work, uint32_t keys) {
  constexpr uint32_t kSlice = 8;
  const uint32_t shares = kInvocations / std::clamp(work.value_vectors(), 1u, kInvocations);
  const uint64_t products = loop_by(work.query_vectors(), kSlice, 2 * loop_of(kSlice));
  const uint64_t of_tile = products + loop_of(std::bit_width(kInvocations)) + loop_by(kInvocations, shares);
  return loop_by(keys, kInvocations, of_tile) + loop_of(shares);
}

uint64_t workgroups(const AttentionWork& work) {
  const AttentionGroups groups = groups_for(work);
  const auto rows = uint32_t(work.shape.rows());
  return uint64_t(work.shape.matrices()) * divide_up(rows, groups.rows) *
         divide_up(groups.all_parts, groups.parts);
}

// Splits the keys at multiples of a tile, which has a key per invocation.
AttentionGroups split_for(const AttentionWork& work, const DevicePlan& plan) {
  AttentionGroups groups = groups_for(work);
  const auto keys = uint32_t(work.shape.keys);
  const uint64_t enough = uint64_t{plan.cores} * kGroupsPerCore / std::max<uint64_t>(workgroups(work), 1);
  const auto wanted = uint32_t(std::clamp<uint64_t>(enough, 2, std::max(2u, keys / kMinKeys)));
  groups.split_keys = round_up(divide_up(keys, wanted), kInvocations);
  groups.splits = divide_up(keys, groups.split_keys);
  return groups;
}

Result<Dispatch> dispatch_of(const LoweringContext& context, const AttentionWork& work,
                             const AttentionGroups& groups, std::string_view variant) {
  NNRT_ASSIGN(Dispatch dispatch,
              attention_dispatch(context, work, groups, attention_shader(work, "attention_decode", variant)));
  dispatch.iterations += decode_iterations(work, groups.split_keys);
  return dispatch;
}

WhyNot why_not_split(const LoweringContext& context, const AttentionWork& work) {
  if (work.shape.keys <= kInvocations) return {"{} keys fit in one tile.", work.shape.keys};
  if (work.shape.keys < int64_t{2} * kMinKeys) return WhyNot::slower("It has only {} keys.", work.shape.keys);
  const uint64_t groups = workgroups(work);
  if (groups < uint64_t{context.plan.cores} * kGroupsPerCore) return {};
  return WhyNot::slower("{} workgroups already fill {} cores.", groups, context.plan.cores);
}

Status add_split(const LoweringContext& context, const AttentionWork& work) {
  const AttentionGroups groups = split_for(work, context.plan);
  const uint32_t vec4s = work.value_vectors();
  const auto lines = uint32_t(work.shape.matrices() * work.shape.rows());
  NNRT_TRY(count_of({groups.splits, lines, vec4s, 4}));
  const Buffer sums = context.sink.scratch(size_t(groups.splits) * lines * vec4s * 4 * sizeof(float));
  const Buffer stats = context.sink.scratch(size_t(groups.splits) * lines * 2 * sizeof(float));
  NNRT_ASSIGN(Dispatch dispatch, dispatch_of(context, work, groups, "_split"));
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
                            .constants = {uint32_t(shape.zero_rows)},
                            .push = Push(push),
                            .buffers = {sums, stats, work.result.buffer},
                            .threads = threads_for(push.count, context.plan),
                            .local = {kGroup, 1, 1},
                            .iterations = 2 * loop_of(push.splits)});
  return {};
}

Status add_whole(const LoweringContext& context, const AttentionWork& work) {
  AttentionGroups groups = groups_for(work);
  groups.split_keys = uint32_t(work.shape.keys);
  NNRT_ASSIGN(Dispatch dispatch, dispatch_of(context, work, groups, ""));
  dispatch.buffers.push_back(work.result.buffer);
  context.sink.add(std::move(dispatch));
  return {};
}

constexpr Kernel<AttentionWork> kShares[] = {
    {"split_keys", why_not_split, add_split},
    {"unsplit_keys", nullptr, add_whole},
};

}  // namespace

WhyNot why_not_decode(const LoweringContext& context, const AttentionWork& work) {
  const DevicePlan& plan = context.plan;
  if (plan.max_group_invocations < kInvocations) {
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations,
            kInvocations};
  }
  if (plan.max_shared_bytes < kSharedBytes)
    return {"Shared memory is limited to {} bytes; it needs {}.", plan.max_shared_bytes, kSharedBytes};
  if (plan.is_software) return WhyNot::slower("On software drivers one invocation per row is as fast.");
  if (work.shape.rows() > kFewRows)
    return WhyNot::slower("{} rows already share the keys.", work.shape.rows());
  return {};
}

Status add_decode(const LoweringContext& context, const AttentionWork& work) {
  return lower_by_list(std::span<const Kernel<AttentionWork>>(kShares), context, work);
}

std::vector<std::string_view> decode_kernels() {
  return names_of(std::span<const Kernel<AttentionWork>>(kShares));
}

}  // namespace nnrt::vulkan
