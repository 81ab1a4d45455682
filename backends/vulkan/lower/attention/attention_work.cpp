#include "backends/vulkan/lower/attention/attention_work.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
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

// Contiguous rows.
RowPlaces dense_rows(Buffer buffer, const Shape& shape) {
  const auto row = uint32_t(shape[3]), head = uint32_t(shape[2]) * row;
  return {.buffer = buffer, .slice = {}, .strides = {uint32_t(shape[1]) * head, head, row}};
}

// Strides must be multiples of 8 fp16 values if the cooperative matrix kernels may read the rows.
uint32_t unit_of(const LoweringContext& context, const AttentionWork& work) {
  const bool reads_fp16_vectors = context.plan.cooperative_matrix.rows > 0 && context.sink.fp16_input(kQuery);
  const bool has_fp16_vectors =
      work.shape.size % kFp16PerVector == 0 && work.shape.value_size % kFp16PerVector == 0;
  return reads_fp16_vectors && has_fp16_vectors ? kFp16PerVector : work.width;
}

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
  const auto rows_of = [&](Input i) {
    const auto rows = context.sink.input_rows(context.input(i).id, unit_of(context, work));
    return rows.value_or(dense_rows(context.input(i), node.shape(i)));
  };
  work.query = rows_of(kQuery);
  work.key = rows_of(kKey);
  work.value = rows_of(kValue);
  const auto wanted = context.sink.output_rows(context.output().id, unit_of(context, work));
  work.result = wanted.value_or(dense_rows(context.output(), node.output_shape()));
  return work;
}

std::array<uint32_t, 3> strides_of(const AttentionWork& work, const RowPlaces& rows) {
  std::array<uint32_t, 3> strides = rows.strides;
  for (uint32_t& stride : strides) stride /= work.width;
  return strides;
}

std::string_view attention_shader(const AttentionWork& work, std::string_view kernel,
                                  std::string_view variant) {
  return embedded_name(cat(kernel, work.width == 4 ? "_f32_vec4" : "_f32", variant));
}

Result<Dispatch> attention_dispatch(const LoweringContext& context, const AttentionWork& work,
                                    const AttentionGroups& groups, std::string_view shader) {
  NNRT_ASSIGN(const AttentionPush push, push_of(work, groups));
  const uint32_t local = groups.invocations * groups.together;
  // Without a mask its binding is never read: bind any buffer that needs no conversion.
  const Buffer any = context.sink.fp16_input(kQuery).value_or(work.query.buffer);
  const auto mask_or_any = [&](MaskKind kind) { return work.mask == kind ? context.input(kMask) : any; };
  const Attention& shape = work.shape;
  return Dispatch{.shader = shader,
                  .constants = {groups.rows, uint32_t(work.mask), shape.is_causal, shape.keeps_nan},
                  .push = Push(push),
                  .buffers = {work.query.buffer, work.key.buffer, work.value.buffer, mask_or_any(kNumbers),
                              mask_or_any(kFlags)},
                  .threads = threads_for(push.count * groups.invocations, context.plan, local),
                  .local = {local, 1, 1},
                  .slices = {work.query.slice, work.key.slice, work.value.slice},
                  .iterations = mask_iterations(work, groups)};
}

}  // namespace nnrt::vulkan
