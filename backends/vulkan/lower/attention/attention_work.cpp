#include "backends/vulkan/lower/attention/attention_work.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "core/base/text.h"

namespace nnrt::vulkan {
namespace {

enum Input : size_t { kQuery, kKey, kValue, kMask };

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
                     .split_keys = groups.split_keys};
  push.blocks = divide_up(push.rows, groups.rows);
  push.part_blocks = divide_up(groups.all_parts, groups.parts);
  for (size_t i = 0; i < push.mask_strides.size(); ++i)
    push.mask_strides[i] = uint32_t(shape.mask_strides[i]);
  NNRT_ASSIGN(push.count, count_of({shape.matrices(), push.blocks, push.part_blocks, groups.splits}));
  NNRT_TRY(count_of({push.count, groups.invocations}));
  return push;
}

}  // namespace

uint32_t AttentionWork::value_vectors() const { return divide_up(uint32_t(shape.value_size), 4); }

Result<AttentionWork> attention_work(const NodeView& node) {
  for (size_t i = 0; i < node.input_count(); ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  AttentionWork work{.shape = attention_of(node), .mask = mask_of(node)};
  if (work.shape.size % 4 == 0 && work.shape.value_size % 4 == 0) work.width = 4;
  return work;
}

std::string_view attention_shader(const AttentionWork& work, std::string_view kernel,
                                  std::string_view variant) {
  return embedded_name(cat(kernel, work.width == 4 ? "_f32_vec4" : "_f32", variant));
}

Result<Dispatch> attention_dispatch(const LoweringContext& context, const AttentionWork& work,
                                    const AttentionGroups& groups, std::string_view shader) {
  NNRT_ASSIGN(const AttentionPush push, push_of(work, groups));
  // A mask that there is not is never read: any buffer is bound that need not be converted.
  const Buffer any = context.sink.fp16_input(kQuery).value_or(context.input(kQuery));
  const auto mask_or_any = [&](MaskKind kind) { return work.mask == kind ? context.input(kMask) : any; };
  const Attention& shape = work.shape;
  return Dispatch{.shader = shader,
                  .constants = {groups.rows, uint32_t(work.mask), shape.is_causal, shape.keeps_nan},
                  .push = Push(push),
                  .buffers = {context.input(kQuery), context.input(kKey), context.input(kValue),
                              mask_or_any(kNumbers), mask_or_any(kFlags)},
                  .threads = threads_for(push.count * groups.invocations, context.plan, groups.invocations),
                  .local = {groups.invocations, 1, 1}};
}

}  // namespace nnrt::vulkan
