#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "backends/vulkan/lower/reduction/lower_reduce.h"
#include "backends/vulkan/lower/reduction/reduction_steps.h"
#include "core/schema/geometry.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

struct CumSumPush {
  uint32_t lines = 0, length = 0, inner = 0, chunk = 0;
};

constexpr uint32_t kChunks = 64;       // chunks per line; must match cum_sum.comp
constexpr uint32_t kMinLength = 256;   // shorter lines are not split
constexpr uint32_t kManyLines = 4096;  // enough for one invocation per line

Status lower_lines(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape& shape = node.shape();
  NNRT_TRY(count_of(shape));
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(node.attrs().integer(Attr::axis), std::max<size_t>(shape.size(), 1)));
  const ReductionShape lines =
      shape.empty() ? ReductionShape{} : reduction_shape(shape, size_t(axis), size_t(axis) + 1);
  const bool is_short = lines.length < kMinLength;
  const bool in_chunks =
      !is_short && (lines.results() < kManyLines || exceeds_loop_limit(loop_of(lines.length), context.plan));
  const CumSumPush push{lines.results(), lines.length, lines.inner, divide_up(lines.length, kChunks)};
  context.sink.add(
      Dispatch{.shader = variant("cum_sum", node.dtype()),
               .constants = {node.attrs().flag(Attr::exclusive), node.attrs().flag(Attr::reverse), in_chunks},
               .push = Push(push),
               .buffers = {context.input(0), context.output()},
               .threads = threads_for(push.lines * (in_chunks ? kChunks : 1), context.plan, kChunks),
               .local = {kChunks, 1, 1},
               .iterations = in_chunks ? 2 * loop_of(push.chunk) + loop_of(kChunks) : loop_of(push.length)});
  return {};
}

}  // namespace

Refusal refuse_cum_sum(const NodeView& node, const DevicePlan&) {
  return kIndex.contains(node.dtype()) ? std::nullopt : refuse_conversion(node);
}

Status lower_cum_sum(const LoweringContext& context) { return via_f32<lower_lines>(context); }

}  // namespace nnrt::vulkan
