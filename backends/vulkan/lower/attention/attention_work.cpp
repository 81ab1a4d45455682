#include "backends/vulkan/lower/attention/attention_work.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "core/base/text.h"

namespace nnrt::vulkan {
namespace {

enum Input : uint32_t { kQuery, kKey, kValue, kMask };

MaskKind mask_of(const NodeView& node) {
  if (node.input_count() <= kMask) return kNoMask;
  return node.dtype(kMask) == DType::boolean ? kFlags : kNumbers;
}

Result<AttentionPush> push_of(const AttentionWork& work, const AttentionGroups& groups) {
  const Attention& shape = work.shape;
  AttentionPush push{.rows = uint32_t(shape.rows()),
                     .queries = uint32_t(shape.queries),
                     .keys = uint32_t(shape.keys),
                     .size = uint32_t(shape.size) / work.width,
                     .parts = work.parts(),
                     .key_heads = uint32_t(shape.key_heads),
                     .group = uint32_t(shape.group),
                     .shift = int32_t(shape.shift),
                     .scale = float(shape.scale),
                     .splits = groups.splits,
                     .split_keys = groups.split_keys,
                     .query_strides = strides_of(work, work.query),
                     .key_strides = strides_of(work, work.key),
                     .value_strides = strides_of(work, work.value),
                     .result_strides = strides_of(work, work.result)};
  push.blocks = divide_up(push.rows, groups.rows);
  push.part_blocks = divide_up(groups.all_parts, groups.parts);
  for (size_t i = 0; i < push.mask_strides.size(); ++i)
    push.mask_strides[i] = uint32_t(shape.mask_strides[i]);
  NNRT_ASSIGN(push.count, count_of({shape.matrices(), push.blocks, push.part_blocks, groups.splits}));
  NNRT_TRY(count_of({push.count, groups.invocations}));
  return push;
}

// From the first element on.
Slice slice_of(const View& view) { return {uint64_t(view.offset) * size_of(view.stored), 0}; }

uint64_t mask_iterations(const AttentionWork& work, const AttentionGroups& groups) {
  if (work.mask != kFlags) return 0;
  return loop_of(groups.rows, loop_by(uint64_t(work.shape.keys), 4 * groups.invocations));
}

}  // namespace

uint32_t AttentionWork::query_vectors() const { return divide_up(uint32_t(shape.size), 4); }
uint32_t AttentionWork::value_vectors() const { return divide_up(uint32_t(shape.value_size), 4); }

Result<AttentionWork> attention_work(const LoweringContext& context) {
  const NodeView& node = context.node;
  for (size_t i = 0; i < node.input_count(); ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  AttentionWork work{.shape = attention_of(node), .mask = mask_of(node)};
  if (work.shape.size % 4 == 0 && work.shape.value_size % 4 == 0) work.width = 4;
  work.query = context.view(kQuery);
  work.key = context.view(kKey);
  work.value = context.view(kValue);
  work.result = context.output_view();
  return work;
}

std::array<uint32_t, 3> strides_of(const AttentionWork& work, const View& rows) {
  return {rows.strides[0] / work.width, rows.strides[1] / work.width, rows.strides[2] / work.width};
}

std::string_view attention_shader(const AttentionWork& work, std::string_view kernel,
                                  std::string_view variant) {
  return embedded_name(cat(kernel, work.width == 4 ? "_f32_vec4" : "_f32", variant));
}

Result<Dispatch> attention_dispatch(const LoweringContext& context, const AttentionWork& work,
                                    const AttentionGroups& groups, std::string_view shader) {
  NNRT_ASSIGN(const AttentionPush push, push_of(work, groups));
  // Without a mask its binding is never read: bind any buffer that needs no conversion.
  const Buffer any = context.view(kQuery, View::heads | View::fp16).buffer;
  const auto mask_or_any = [&](MaskKind kind) { return work.mask == kind ? context.input(kMask) : any; };
  const Attention& shape = work.shape;
  return Dispatch{.shader = shader,
                  .constants = {groups.rows, uint32_t(work.mask), shape.is_causal, uint32_t(shape.zero_rows)},
                  .push = Push(push),
                  .buffers = {work.query.buffer, work.key.buffer, work.value.buffer, mask_or_any(kNumbers),
                              mask_or_any(kFlags)},
                  .threads = threads_for(push.count * groups.invocations, context.plan, groups.invocations),
                  .local = {groups.invocations, 1, 1},
                  .slices = {slice_of(work.query), slice_of(work.key), slice_of(work.value)},
                  .iterations = mask_iterations(work, groups)};
}

}  // namespace nnrt::vulkan
