#include "backends/vulkan/lower/attention/lower_attention_matrix.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/tile_kinds.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// Must match attention_matrix.comp.
constexpr uint32_t kBlock = 64, kVectors = kBlock / kFp16PerVector, kSumVec4s = kBlock / 4, kSubgroups = 4;
constexpr uint32_t kMaxBlocks = 2;  // blocks of a value; their sums are in registers
constexpr uint32_t kOperands = 3;

constexpr uint32_t kSmallest = 16;
// Use a tile size only if it gives about two tiles per three cores.
constexpr uint32_t kTiles = 2, kCores = 3;

uint32_t invocations_of(const DevicePlan& plan) { return kSubgroups * plan.matrices.subgroup; }

uint32_t shared_bytes(uint32_t rows, const DevicePlan& plan) {
  const uint32_t gap = plan.matrices.emulates_fp16 ? 0 : 1;
  const uint32_t line = kVectors + gap, sum_line = kSumVec4s + gap;
  return ((rows + kBlock) * line + rows * sum_line) * 16;
}

// Loop iterations of attention_matrix.comp. Only emulated matrices loop over their elements.
uint64_t iterations_of(const AttentionWork& work, const AttentionGroups& groups, const DevicePlan& plan) {
  constexpr uint32_t kSubgroupRows = 16;
  const CooperativeMatrixShape& matrix = plan.matrices.fp16;
  const uint32_t side = kSubgroups * kSubgroupRows / groups.rows;  // subgroups per row of tiles
  const uint32_t down = kSubgroupRows / matrix.rows, across = kBlock / side / matrix.columns;
  const uint64_t results =
      plan.matrices.emulates_fp16 ? loop_of(matrix.rows * matrix.columns / plan.matrices.subgroup) : 0;
  const uint64_t lines =
      3 * loop_by(kBlock * kVectors, groups.invocations);  // fetched and put, in pairs or not
  const uint64_t products =
      loop_of(kBlock / matrix.inner, loop_of(down) + loop_of(across, loop_of(down, results)));
  const uint64_t stored = loop_of(down, loop_of(across, results));
  const uint64_t cleared = loop_of(down * across), shared = loop_of(groups.invocations / groups.rows);
  const uint64_t keys = loop_by(uint64_t(work.shape.size), kBlock, 2 * lines + products) + cleared + stored;
  const uint64_t values = loop_of(groups.parts, lines + cleared + products + stored);
  return loop_by(uint64_t(work.shape.keys), kBlock, keys + shared + values);
}

WhyNot why_not_rows(const DevicePlan& plan, uint32_t rows) {
  if (plan.max_group_invocations < invocations_of(plan)) {
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations,
            invocations_of(plan)};
  }
  if (invocations_of(plan) < rows)
    return {"Its {} invocations are fewer than {} rows.", invocations_of(plan), rows};
  if (plan.max_shared_bytes < shared_bytes(rows, plan)) {
    return {"Shared memory is limited to {} bytes; it needs {}.", plan.max_shared_bytes,
            shared_bytes(rows, plan)};
  }
  return {};
}

}  // namespace

WhyNot why_not_attention_matrix(const Attention& shape, const DevicePlan& plan) {
  if (plan.matrices.fp16.rows == 0) return "Cooperative matrices are not used on this device.";
  if (shape.size % kFp16PerVector != 0 || shape.value_size % kFp16PerVector != 0) {
    return {"The sizes of queries ({}) and values ({}) are not multiples of {}.", shape.size,
            shape.value_size, kFp16PerVector};
  }
  if (const WhyNot why = why_not_rows(plan, kSmallest)) return why;
  return plan.matrices.emulates_fp16 ? WhyNot::slower("It is for tests.") : WhyNot();
}

WhyNot why_not_attention_matrix(const LoweringContext& context, const AttentionWork& work, uint32_t rows) {
  const DevicePlan& plan = context.plan;
  for (size_t i = 0; i < kOperands; ++i)
    if (context.view(i, View::fp16).stored != DType::f16) return "An operand is not stored as fp16.";
  if (const WhyNot why = why_not_rows(plan, rows)) return why;
  if (const WhyNot why = why_not_attention_matrix(work.shape, plan)) return why;
  const uint64_t tiles = uint64_t(work.shape.matrices()) * divide_up(uint32_t(work.shape.rows()), rows);
  if (rows == kSmallest || tiles * kCores >= uint64_t{plan.cores} * kTiles) return {};
  return WhyNot::slower("{} tiles do not fill {} cores.", tiles, plan.cores);
}

Status add_attention_matrix(const LoweringContext& context, const AttentionWork& work, uint32_t rows) {
  const DevicePlan& plan = context.plan;
  const uint32_t blocks = divide_up(uint32_t(work.shape.value_size), kBlock);
  const AttentionGroups groups{.rows = rows,
                               .parts = std::clamp(blocks, 1u, kMaxBlocks),
                               .all_parts = blocks,
                               .invocations = invocations_of(plan)};
  const std::string_view shader =
      plan.matrices.emulates_fp16 ? "attention_matrix_emulated" : "attention_matrix";
  NNRT_ASSIGN(Dispatch dispatch, attention_dispatch(context, work, groups, shader));
  const CooperativeMatrixShape& matrix = plan.matrices.fp16;
  dispatch.constants.insert(dispatch.constants.end(),
                            {plan.matrices.subgroup, matrix.rows, matrix.columns, matrix.inner, groups.parts,
                             uint32_t(transposes_steps(plan))});
  dispatch.iterations += iterations_of(work, groups, plan);
  for (size_t i = 0; i < kOperands; ++i) dispatch.buffers[i] = context.view(i).buffer;
  dispatch.buffers.push_back(work.result.buffer);
  context.sink.add(std::move(dispatch));
  return {};
}

}  // namespace nnrt::vulkan
