#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {
namespace {

// In elements or in vec4.
struct RotaryPush {
  uint32_t count = 0, length = 0, pairs = 0;
  Dims8 dims{};
  Strides8 strides{};
};

constexpr int64_t kLanes = 4;

// Row strides of the angles.
Collapsed angles_of(Shape rows, const Shape& angles, int64_t lanes) {
  rows.back() = angles.back();
  Strides strides = broadcast_strides(angles, rows);
  rows.pop_back();
  strides.pop_back();
  for (int64_t& stride : strides) stride /= lanes;
  return collapse(rows, std::span(&strides, 1));
}

Status lower_rows(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape angles = with_dimension(node.shape(1));
  const int64_t length = node.shape(0).back(), pairs = angles.back();
  const bool in_vectors = length % kLanes == 0 && pairs % kLanes == 0;
  const int64_t lanes = in_vectors ? kLanes : 1;
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape(0)));
  const Collapsed rows = angles_of(node.shape(0), angles, lanes);
  RotaryPush push{.length = uint32_t(length / lanes), .pairs = uint32_t(pairs / lanes)};
  push.count = count / uint32_t(length) * (push.length - push.pairs);
  push.dims = dims8(rows.shape);
  push.strides = strides8(rows.strides[0]);
  context.sink.add(
      Dispatch{.shader = in_vectors ? "rotary_embedding_f32_vec4" : "rotary_embedding_f32",
               .constants = {node.attrs().flag(Attr::interleaved), uint32_t(rows.shape.size())},
               .push = Push(push),
               .buffers = {context.input(0), context.input(1), context.input(2), context.output()},
               .threads = threads_for(push.count, context.plan),
               .local = {kGroup, 1, 1}});
  return {};
}

constexpr LoweringRow kRotaryEmbeddingLowerings[] = {
    {Op::rotary_embedding, {refuse_conversion, via_f32<lower_rows>}},
};

}  // namespace

std::span<const LoweringRow> rotary_embedding_lowerings() { return kRotaryEmbeddingLowerings; }

}  // namespace nnrt::vulkan
