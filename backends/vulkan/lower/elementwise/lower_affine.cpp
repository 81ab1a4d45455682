#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/vectorized_walk.h"
#include "backends/vulkan/lower/data_movement/requantized_inputs.h"
#include "core/schema/geometry.h"
#include "core/schema/rules.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

struct AffinePush {
  uint32_t count = 0, inner = 0, channels = 0;
  float epsilon = 0;
};

Refusal refuse_affine(const NodeView& node, const DevicePlan&) {
  return refuse_dtype("affine", node.dtype());
}

// Converts the units of the push constants from elements to vectors if the terms can be read as vectors.
Form form_of(AffinePush& push, uint32_t lanes) {
  const Form form = form_of_parameter(push.channels, push.inner, lanes);
  if (form == Form::vectors) push.channels /= lanes;
  if (form == Form::splat)
    push.inner = std::max(push.inner / lanes, 1u);  // covers any run within one channel
  return form;
}

Status add_affine(const LoweringContext& context, AffinePush push, const std::array<size_t, 4>& terms) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(push.count, count_of(node.shape()));
  const Form form = form_of(push, uint32_t(16 / size_of(node.dtype())));
  const uint32_t work =
      form == Form::elements ? words_of(node.dtype(), push.count) : vectors_of(node.dtype(), push.count);
  std::vector<Buffer> buffers{context.input(0)};
  for (const size_t term : terms) buffers.push_back(context.input(term));
  buffers.push_back(context.output());
  context.sink.add(
      Dispatch{.shader = variant("affine", node.dtype()),
               .constants = {activation_of(node), uint32_t(node.op() == Op::batch_norm), uint32_t(form)},
               .push = Push(push),
               .buffers = std::move(buffers),
               .threads = threads_for(work, context.plan),
               .local = {kGroup, 1, 1}});
  return {};
}

Status lower_batch_norm(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape& shape = node.shape();
  const size_t axis = channel_axis(node);
  return add_affine(context,
                    {.inner = uint32_t(product(shape, axis + 1, shape.size())),
                     .channels = uint32_t(shape[axis]),
                     .epsilon = float(node.attrs().real(Attr::epsilon))},
                    {1, 2, 3, 4});
}

Status lower_scale(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape& shape = node.shape();
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(node.attrs().integer(Attr::axis), std::max<size_t>(shape.size(), 1)));
  const size_t end = std::min(size_t(axis) + node.shape(1).size(), shape.size());
  return add_affine(context,
                    {.inner = uint32_t(product(shape, end, shape.size())),
                     .channels = uint32_t(product(shape, size_t(axis), end))},
                    {1, 2, 1, 1});
}

// Limit of the push constants: the dimensions and three operands' strides.
constexpr size_t kMaxSelectDims = 7;

struct SelectPush {
  uint32_t count = 0;
  std::array<uint32_t, kMaxSelectDims> dims{};
  std::array<std::array<int32_t, kMaxSelectDims>, 3> strides{};
};

Refusal refuse_select(const NodeView& node, const DevicePlan&) {
  for (size_t i = 1; i < 3; ++i) {
    if (Refusal refusal = refuse_copied(node, i)) return refusal;
  }
  const size_t rank = node.output_shape().size() + (size_of(node.dtype(1)) == 8 ? 1 : 0);
  if (rank <= kMaxSelectDims) return std::nullopt;
  return "Rank (" + std::to_string(node.output_shape().size()) + ") exceeds the GPU's limit for selections.";
}

// Splits 8-byte elements into 4-byte ones along an extra dimension.
Collapsed selection(const NodeView& node) {
  Shape shape = node.output_shape();
  std::array<Strides, 3> strides;
  for (size_t i = 0; i < 3; ++i) strides[i] = broadcast_strides(node.shape(i), shape);
  if (size_of(node.dtype(1)) == 8) {
    shape.push_back(2);
    strides[0].push_back(0);
    for (size_t i = 1; i < 3; ++i) {
      for (int64_t& stride : strides[i]) stride *= 2;
      strides[i].push_back(1);
    }
  }
  return collapse(shape, strides);
}

Status lower_select(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Collapsed walk = selection(node);
  SelectPush push;
  NNRT_ASSIGN(push.count, count_of(walk.shape));
  std::ranges::copy(walk.shape, push.dims.begin());
  for (size_t i = 0; i < 3; ++i) std::ranges::copy(walk.strides[i], push.strides[i].begin());
  NNRT_ASSIGN(const Buffer chosen, copied(context, 1));
  NNRT_ASSIGN(const Buffer other, copied(context, 2));
  const uint32_t bytes = uint32_t(std::min<size_t>(size_of(node.dtype(1)), 4));
  context.sink.add(Dispatch{.shader = "select",
                            .constants = {bytes, uint32_t(walk.shape.size())},
                            .push = Push(push),
                            .buffers = {context.input(0), chosen, other, context.output()},
                            .threads = threads_for((push.count - 1) / (4 / bytes) + 1, context.plan),
                            .local = {kGroup, 1, 1}});
  return {};
}

constexpr LoweringRow kAffineLowerings[] = {
    {Op::batch_norm, {refuse_affine, lower_batch_norm}},
    {Op::scale, {refuse_affine, lower_scale}},
    {Op::select, {refuse_select, lower_select}},
    {Op::where, {refuse_select, lower_select}},
};

}  // namespace

std::span<const LoweringRow> affine_lowerings() { return kAffineLowerings; }

}  // namespace nnrt::vulkan
