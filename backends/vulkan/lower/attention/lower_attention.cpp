#include "backends/vulkan/lower/attention/lower_attention.h"

#include "backends/vulkan/lower/attention/lower_attention_decode.h"
#include "backends/vulkan/lower/attention/lower_attention_matrix.h"
#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/lowering_families.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// Use a tile size only if it gives about two tiles per three cores.
constexpr uint32_t kTiles = 2, kCores = 3;

// Must match attention_tile.comp: kAcross invocations share four rows, each accumulating up to four vectors
// of a value.
constexpr uint32_t kAcross = 8, kLine = kAcross + 1, kKeys = 32, kMaxValues = 4;
constexpr uint32_t kMostRows = 64;

constexpr uint32_t invocations_of(uint32_t rows) { return rows / 4 * kAcross; }
constexpr uint32_t shared_bytes(uint32_t rows) {
  return (2 * rows * kLine + kKeys * kLine + invocations_of(rows) + 1) * 16;
}

// Registers per invocation that accumulates two vectors, as RADV compiles it.
constexpr uint32_t kRegistersOfTwo = 156;

// Registers per invocation that accumulates one vector, as ANV compiles it. With few rows, an invocation
// holds more of the next keys.
constexpr uint32_t registers_of(const AttentionWork& work, uint32_t rows) {
  constexpr uint32_t kHidingKeys = 17, kScalars = 7;
  const bool hides_keys = work.mask != kNoMask || work.shape.is_causal;
  return (rows == 64   ? 104
          : rows == 32 ? 122
                       : 166) +
         (hides_keys ? kHidingKeys : 0) + (work.width == 1 ? kScalars : 0);
}

// Returns whether a tile spills registers and one of more rows does not.
bool spills(const AttentionWork& work, uint32_t rows, const DevicePlan& plan) {
  return plan.max_registers < registers_of(work, rows) && plan.max_registers >= registers_of(work, kMostRows);
}

AttentionGroups tile_groups(const AttentionWork& work, uint32_t rows, const DevicePlan& plan) {
  const uint32_t vectors = work.value_vectors();
  const uint32_t max_values = plan.max_registers < kRegistersOfTwo ? 1 : kMaxValues;
  const uint32_t of_invocation = std::clamp(divide_up(vectors, kAcross), 1u, max_values);
  return {.rows = rows,
          .parts = of_invocation * kAcross,
          .all_parts = vectors,
          .invocations = invocations_of(rows)};
}

// Loop iterations of attention_tile.comp with `vectors` value vectors per invocation.
uint64_t tile_iterations(const AttentionWork& work, uint32_t rows, uint32_t vectors) {
  constexpr uint32_t kSlice = 8;
  const uint32_t group = invocations_of(rows);
  const uint64_t lines = loop_by(kKeys * kSlice, group), queries = loop_by(rows * kSlice, group);
  const uint64_t products = loop_by(work.query_vectors(), kSlice, queries + lines + loop_of(kSlice));
  return loop_by(uint64_t(work.shape.keys), kKeys,
                 products + loop_of(kAcross) + loop_of(vectors, lines + loop_of(kAcross)));
}

template <uint32_t rows>
WhyNot why_not_tile(const LoweringContext& context, const AttentionWork& work) {
  const DevicePlan& plan = context.plan;
  if (plan.max_group_invocations < invocations_of(rows)) {
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations,
            invocations_of(rows)};
  }
  if (plan.max_shared_bytes < shared_bytes(rows))
    return {"Shared memory is limited to {} bytes; it needs {}.", plan.max_shared_bytes, shared_bytes(rows)};
  if (plan.is_software) return WhyNot::slower("Software drivers gain nothing from shared memory.");
  if (spills(work, rows, plan)) {
    return WhyNot::slower("An invocation has {} registers; it needs {}.", plan.max_registers,
                          registers_of(work, rows));
  }
  const uint64_t tiles = uint64_t(work.shape.matrices()) * divide_up(uint32_t(work.shape.rows()), rows);
  // Smaller ones would have idle lanes or spill.
  const bool is_smallest = invocations_of(rows) <= plan.full_group || spills(work, rows / 2, plan);
  if (is_smallest || tiles * kCores >= uint64_t{plan.cores} * kTiles) return {};
  return WhyNot::slower("{} tiles do not fill {} cores.", tiles, plan.cores);
}

template <uint32_t rows>
Status add_tile(const LoweringContext& context, const AttentionWork& work) {
  const AttentionGroups groups = tile_groups(work, rows, context.plan);
  NNRT_ASSIGN(Dispatch dispatch,
              attention_dispatch(context, work, groups, attention_shader(work, "attention_tile")));
  dispatch.iterations += tile_iterations(work, rows, groups.parts / kAcross);
  dispatch.constants.push_back(groups.parts / kAcross);
  dispatch.buffers.push_back(work.result.buffer);
  context.sink.add(std::move(dispatch));
  return {};
}

template <uint32_t rows>
constexpr Kernel<AttentionWork> matrix_kernel(std::string_view name) {
  return {name,
          [](const LoweringContext& context, const AttentionWork& work) {
            return why_not_attention_matrix(context, work, rows);
          },
          [](const LoweringContext& context, const AttentionWork& work) {
            return add_attention_matrix(context, work, rows);
          },
          View::fp16};
}

constexpr Kernel<AttentionWork> kAttention[] = {
    {"attention_decode", why_not_decode, add_decode},
    matrix_kernel<64>("attention_matrix_64"),
    matrix_kernel<32>("attention_matrix_32"),
    matrix_kernel<16>("attention_matrix_16"),
    {"attention_tile_64", why_not_tile<64>, add_tile<64>},
    {"attention_tile_32", why_not_tile<32>, add_tile<32>},
    {"attention_tile_16", nullptr, add_tile<16>},
};

}  // namespace

Status lower_attention(const LoweringContext& context) {
  NNRT_ASSIGN(const AttentionWork work, attention_work(context));
  return lower_by_list(std::span<const Kernel<AttentionWork>>(kAttention), context, work);
}

std::vector<std::string_view> attention_kernels() {
  std::vector<std::string_view> names = names_of(std::span<const Kernel<AttentionWork>>(kAttention));
  for (const std::string_view name : decode_kernels()) names.push_back(name);
  return names;
}

std::span<const LoweringRow> attention_lowerings() {
  static constexpr LoweringRow kRow[] = {
      {Op::attention, {refuse_conversion, via_f32<lower_attention>, View::heads}}};
  return kRow;
}

}  // namespace nnrt::vulkan
