#include "backends/vulkan/lower/reduction/lower_top_k.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/row_groups.h"
#include "backends/vulkan/lower/elementwise/lower_cast.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <bit>

namespace nnrt::vulkan {
namespace {

// How a kernel splits lines: into chunks of `length` that keep 1 / `share` of it at most.
struct Chunks {
  uint32_t length = 0, share = 0;

  uint64_t of(uint32_t k) const { return std::max(uint64_t{length}, uint64_t{share} * k); }
};
constexpr Chunks kByElement{256, 4}, kByGroup{2048, 8};

constexpr uint32_t kMaxInvocations = 256;
constexpr uint32_t kMaxSorted = 2048;     // most elements that a workgroup sorts
constexpr uint32_t kCountedBytes = 2064;  // shared memory besides the sorted elements
constexpr uint32_t kSortedWords = 2;      // words of shared memory per sorted element
constexpr uint32_t kMaxGroups = 1 << 22;  // times the group size still fits in 32 bits

struct TopKPush {
  uint32_t count = 0, length = 0, inner = 0, chunk = 0, k = 0, selected = 0;
};

// Elements with their original indices (none before the first dispatch).
struct Elements {
  Buffer x;
  DType dtype{};
  std::optional<Buffer> indices;
};

uint32_t float_bits(DType dtype) { return is_float(dtype) ? uint32_t(8 * size_of(dtype)) : 0; }

// Elements left of a line after each chunk has kept its k largest.
uint32_t selected_by(uint32_t length, uint32_t chunk, uint32_t k) {
  const uint32_t whole = (length - 1) / chunk;
  return whole * k + std::min(k, length - whole * chunk);
}

uint32_t chunks_of(uint32_t length, uint32_t chunk) { return divide_up(length, chunk); }

// One dispatch: each chunk of a line of this length keeps its k largest.
struct Step {
  Elements from;
  uint32_t length = 0, chunk = 0;
  Buffer values, indices;
};

// Between steps, values are stored as words with the bits of their dtype.
Dispatch dispatch_of(const Selection& selection, const Step& step) {
  const bool first = !step.from.indices;
  const bool last = step.chunk == step.length;
  const DType dtype = step.from.dtype;
  return {.shader = "top_k",
          .constants = {uint32_t(first ? size_of(dtype) : 4), float_bits(dtype), !first,
                        last && selection.ascending, last && selection.index_dtype == DType::i64 ? 2u : 1u},
          .push = {},
          .buffers = {step.from.x, first ? step.from.x : *step.from.indices, step.values, step.indices}};
}

TopKPush push_of(const Selection& selection, const Step& step, uint32_t count) {
  return {count,      step.length, selection.shape.inner,
          step.chunk, selection.k, selected_by(step.length, step.chunk, selection.k)};
}

void add_by_element(const LoweringContext& context, const Selection& selection, const Step& step) {
  const uint32_t count = selection.shape.results() * step.length;
  Dispatch dispatch = dispatch_of(selection, step);
  dispatch.push = Push(push_of(selection, step, count));
  dispatch.threads = threads_for(count, context.plan);
  dispatch.local = {kGroup, 1, 1};
  dispatch.iterations = loop_of(step.chunk);
  context.sink.add(std::move(dispatch));
}

// Loop iterations of top_k_group.comp for a chunk that `invocations` share.
uint64_t group_iterations(uint32_t chunk, uint32_t sorted, uint32_t invocations) {
  constexpr uint32_t kDigits = 256, kRounds = 8;  // radix digits of the key, then of the index
  const uint64_t own = loop_by(chunk, invocations), each = loop_by(kDigits, invocations);
  const uint64_t rounds = loop_of(kRounds, own + 2 * each + loop_of(std::bit_width(kDigits), each));
  const auto width = uint64_t(std::bit_width(sorted));
  const uint64_t sort = loop_of(width, loop_of(width, loop_by(sorted, invocations)));
  return rounds + own + 2 * loop_by(sorted, invocations) + sort;
}

uint32_t invocations_of(const DevicePlan& plan) {
  return std::min(kMaxInvocations, std::bit_floor(plan.max_group_invocations));
}

void add_by_group(const LoweringContext& context, const Selection& selection, const Step& step) {
  const uint32_t groups = selection.shape.results() * chunks_of(step.length, step.chunk);
  const uint32_t invocations = invocations_of(context.plan);
  Dispatch dispatch = dispatch_of(selection, step);
  dispatch.shader = "top_k_group";
  dispatch.constants.push_back(std::bit_ceil(std::max(selection.k, 2u)));
  dispatch.push = Push(push_of(selection, step, groups));
  dispatch.threads = threads_for(groups * invocations, context.plan, invocations);
  dispatch.local = {invocations, 1, 1};
  dispatch.iterations = group_iterations(step.chunk, dispatch.constants.back(), invocations);
  context.sink.add(std::move(dispatch));
}

// Lines up to `longest` are one chunk; longer ones are split into chunks of `chunk`.
struct ChunkLimits {
  uint64_t longest = 0, chunk = 0;
};

Status add_steps(const LoweringContext& context, const Selection& selection, const ChunkLimits& cut,
                 void (*add)(const LoweringContext&, const Selection&, const Step&)) {
  const uint32_t lines = selection.shape.results();
  Elements elements{selection.x, selection.dtype, std::nullopt};
  uint32_t length = selection.shape.length;
  while (length > cut.longest) {
    const uint32_t selected = selected_by(length, uint32_t(cut.chunk), selection.k);
    const Buffer values = context.sink.scratch(size_t(lines) * selected * 4);
    const Buffer indices = context.sink.scratch(size_t(lines) * selected * 4);
    add(context, selection, {elements, length, uint32_t(cut.chunk), values, indices});
    elements.x = values;
    elements.indices = indices;
    length = selected;
  }
  const uint32_t count = lines * selection.k;
  const bool narrow = size_of(selection.dtype) < 4;
  const Buffer words =
      selection.values && !narrow ? *selection.values : context.sink.scratch(size_t(count) * 4);
  const Buffer indices = selection.indices
                             ? *selection.indices
                             : context.sink.scratch(size_t(count) * size_of(selection.index_dtype));
  add(context, selection, {elements, length, length, words, indices});
  if (!selection.values || !narrow) return {};
  const DType bits = size_of(selection.dtype) == 1 ? DType::i8 : DType::i16;
  add_cast(context, words, DType::i32, *selection.values, bits, count);
  return {};
}

WhyNot why_not_group(const LoweringContext& context, const Selection& selection) {
  const DevicePlan& plan = context.plan;
  const ReductionShape& shape = selection.shape;
  if (const WhyNot why = why_not_sharing(plan)) return why;
  if (selection.k == 0 || selection.k > kMaxSorted)
    return {"Workgroups sort 1 to {} elements, not {}.", kMaxSorted, selection.k};
  const uint32_t bytes = kCountedBytes + std::bit_ceil(selection.k) * kSortedWords * 4;
  if (plan.max_shared_bytes < bytes)
    return {"Shared memory is limited to {} bytes; it needs {}.", plan.max_shared_bytes, bytes};
  if (uint64_t(shape.results()) * chunks_of(shape.length, kByGroup.length) > kMaxGroups)
    return {"{} lines need too many invocations.", shape.results()};
  if (plan.is_software) return WhyNot::slower("Counting is as fast on software drivers.");
  if (shape.length <= kByElement.length)
    return WhyNot::slower("Counting is as fast for lines of {} elements.", shape.length);
  return {};
}

// If lines are few, splits them so that every core has work.
Status select_by_group(const LoweringContext& context, const Selection& selection) {
  const uint64_t chunk = kByGroup.of(selection.k);
  const uint64_t whole =
      group_iterations(selection.shape.length, std::bit_ceil(selection.k), invocations_of(context.plan));
  const bool are_enough =
      selection.shape.results() >= context.plan.cores && !exceeds_loop_limit(whole, context.plan);
  const uint64_t longest = are_enough ? std::max<uint64_t>(selection.shape.length, 1) : 2 * chunk;
  return add_steps(context, selection, {longest, chunk}, add_by_group);
}

Status select_by_element(const LoweringContext& context, const Selection& selection) {
  const uint64_t chunk = kByElement.of(selection.k);
  return add_steps(context, selection, {2 * chunk, chunk}, add_by_element);
}

constexpr Kernel<Selection> kSelections[] = {
    {"top_k_by_group", why_not_group, select_by_group},
    {"top_k_by_element", nullptr, select_by_element},
};
constexpr std::span<const Kernel<Selection>> kAll(kSelections);

}  // namespace

Status add_selection(const LoweringContext& context, const Selection& selection) {
  return lower_by_list(kAll, context, selection);
}

std::vector<std::string_view> top_k_kernels() { return names_of(kAll); }

Status lower_top_k(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape shape = node.shape().empty() ? Shape{1} : node.shape();
  NNRT_TRY(count_of(shape));
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), shape.size()));
  return add_selection(context, {.x = context.input(0),
                                 .dtype = node.dtype(),
                                 .shape = reduction_shape(shape, size_t(axis), size_t(axis) + 1),
                                 .k = uint32_t(node.integers(1)->at(0)),
                                 .ascending = !node.attrs().flag(Attr::sorted),
                                 .index_dtype = node.output(1).dtype,
                                 .values = context.output(0),
                                 .indices = context.output(1)});
}

}  // namespace nnrt::vulkan
