#include "backends/vulkan/lower/gemm/lower_attention.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "core/base/text.h"
#include "core/schema/attention_geometry.h"

namespace nnrt::vulkan {
namespace {

enum Input : size_t { kQuery, kKey, kValue, kMask };

// As attention.comp has them.
enum MaskKind : uint32_t { kNoMask, kNumbers, kFlags };
constexpr uint32_t kInvocations = 32;

struct AttentionPush {
  uint32_t count = 0;
  uint32_t rows = 0, queries = 0, keys = 0;
  uint32_t size = 0, parts = 0;
  uint32_t key_heads = 0, group = 0;
  uint32_t blocks = 0, part_blocks = 0;
  int32_t shift = 0;
  float scale = 0;
  std::array<uint32_t, 4> mask_strides{};
};

AttentionPush push_of(const Attention& work, uint32_t width, uint32_t block_rows) {
  AttentionPush push{.rows = uint32_t(work.rows()),
                     .queries = uint32_t(work.queries),
                     .keys = uint32_t(work.keys),
                     .size = uint32_t(work.size) / width,
                     .parts = uint32_t(work.value_size) / width,
                     .key_heads = uint32_t(work.key_heads),
                     .group = uint32_t(work.group),
                     .shift = int32_t(work.shift),
                     .scale = float(work.scale)};
  push.blocks = divide_up(push.rows, block_rows);
  push.part_blocks = divide_up(push.parts, kInvocations);
  for (size_t i = 0; i < push.mask_strides.size(); ++i) push.mask_strides[i] = uint32_t(work.mask_strides[i]);
  return push;
}

MaskKind mask_of(const NodeView& node) {
  if (node.input_count() <= kMask) return kNoMask;
  return node.dtype(kMask) == DType::boolean ? kFlags : kNumbers;
}

}  // namespace

Status lower_attention(const LoweringContext& context) {
  const NodeView& node = context.node;
  for (size_t i = 0; i < node.input_count(); ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  const Attention work = attention_of(node);
  const uint32_t width = work.size % 4 == 0 && work.value_size % 4 == 0 ? 4 : 1;
  const uint32_t block_rows = work.rows() == 1 ? 1 : 4;
  AttentionPush push = push_of(work, width, block_rows);
  NNRT_ASSIGN(push.count, count_of({work.matrices(), push.blocks, push.part_blocks}));
  NNRT_TRY(count_of({push.count, kInvocations}));
  const MaskKind mask = mask_of(node);
  const auto mask_or_query = [&](MaskKind kind) { return context.input(mask == kind ? kMask : kQuery); };
  context.sink.add(Dispatch{.shader = width == 4 ? "attention_f32_vec4" : "attention_f32",
                            .constants = {block_rows, uint32_t(mask), work.is_causal, work.keeps_nan},
                            .push = Push(push),
                            .buffers = {context.input(kQuery), context.input(kKey), context.input(kValue),
                                        mask_or_query(kNumbers), mask_or_query(kFlags), context.output()},
                            .threads = threads_for(push.count * kInvocations, context.plan, kInvocations),
                            .local = {kInvocations, 1, 1}});
  return {};
}

}  // namespace nnrt::vulkan
