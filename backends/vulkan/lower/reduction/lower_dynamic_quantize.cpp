#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/reduction/lower_reduce.h"
#include "backends/vulkan/lower/reduction/reduction_steps.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

struct DynamicQuantizePush {
  uint32_t count = 0;
};

}  // namespace

Refusal refuse_dynamic_quantize(const NodeView& node, const DevicePlan&) {
  return node.dtype() == DType::f32 ? std::nullopt : not_computed(node.dtype());
}

Status lower_dynamic_quantize(const LoweringContext& context) {
  NNRT_ASSIGN(const uint32_t count, count_of(context.node.shape()));
  const ReductionShape all{.length = count};
  const Buffer low = context.sink.scratch(sizeof(float)), high = context.sink.scratch(sizeof(float));
  NNRT_TRY(add_reduction(context, {.op = Reduce::minimum, .dtype = DType::f32}, all, context.input(0), low));
  NNRT_TRY(add_reduction(context, {.op = Reduce::maximum, .dtype = DType::f32}, all, context.input(0), high));
  const uint32_t words = std::max(words_of(DType::i8, count), 1u);  // of nothing, there are still parameters
  context.sink.add(Dispatch{
      .shader = embedded_name("dynamic_quantize"),
      .constants = {},
      .push = Push(DynamicQuantizePush{count}),
      .buffers = {context.input(0), low, high, context.output(0), context.output(1), context.output(2)},
      .threads = threads_for(words, context.plan),
      .local = {kGroup, 1, 1}});
  return {};
}

}  // namespace nnrt::vulkan
