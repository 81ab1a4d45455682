// Elements and slices selected or replaced by index (R20), and matrix triangles. The shaders check indices,
// because they may be known only at run time.
#include "backends/vulkan/lower/data_movement/requantized_inputs.h"
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/data_movement/element_positions.h"
#include "core/schema/operators/selections.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kFromEnd = 1;  // negative indices count from the end

struct ElementsPush {
  uint32_t count = 0, rank = 0, axis = 0;
  int32_t length = 1;
  uint32_t parts = 1, zero = 0;
  Dims8 counts{};
  Dims8 strides{};
};

struct ScatterPush {
  uint32_t rows = 0, step = 1, width = 0;
  std::array<int32_t, kMaxDims> dims{};
};

struct UpdatePush {
  uint32_t count = 0, slice = 0;
};

struct TriangularPush {
  uint32_t count = 0, parts = 1, rows = 0, columns = 0;
  int32_t diagonal = 0;
  uint32_t zero = 0;
};

// Shaders move elements of at most four bytes; wider ones are several words.
uint32_t parts_of(DType dtype) { return std::max(1u, uint32_t(size_of(dtype) / 4)); }
uint32_t part_bytes(DType dtype) { return std::min(4u, uint32_t(size_of(dtype))); }

// Treats a scalar operand as [1] (R6).
Shape at_least_vector(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

uint32_t index_words(DType dtype) { return uint32_t(size_of(dtype) / 4); }

uint32_t zero_word(const NodeView& node) { return repeated(fill_element(node)).value_or(0); }

Result<ElementsPush> elements_push(const NodeView& node) {
  NNRT_TRY(count_of(node.shape(0)));
  NNRT_ASSIGN(const ElementPositions positions, element_positions(node));
  ElementsPush push{.rank = uint32_t(positions.counts.size()),
                    .axis = uint32_t(positions.axis),
                    .length = int32_t(positions.length),
                    .counts = dims8(positions.counts),
                    .strides = dims8(positions.strides)};
  NNRT_ASSIGN(push.count, count_of(node.shape(1)));
  return push;
}

Refusal refuse_gather(const NodeView& node, const DevicePlan&) { return refuse_copied(node, 0); }

Status lower_gather_elements(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(ElementsPush push, elements_push(node));
  NNRT_ASSIGN(const Buffer x, copied(context, 0));
  push.parts = parts_of(node.dtype());
  push.count *= push.parts;
  push.zero = zero_word(node);
  context.sink.add(
      Dispatch{.shader = "gather_elements",
               .constants = {part_bytes(node.dtype()), index_words(node.dtype(1)), kFromEnd},
               .push = Push(push),
               .buffers = {context.input(1), x, context.output()},
               .threads = threads_for(words_of(node.dtype(), push.count / push.parts), context.plan),
               .local = {kGroup, 1, 1}});
  return {};
}

// Updates that hit the same element must be combined in order, which no shader here does.
Refusal refuse_scatter(const NodeView& node, const DevicePlan& plan) {
  if (node.attrs().integer(Attr::reduction) != 0)
    return "Reductions of updates are not supported on the GPU.";
  for (const size_t input : {size_t{0}, size_t{2}})
    if (Refusal refusal = refuse_copied(node, input)) return refusal;
  const auto elements = element_count(node.shape(0));
  if (!elements || uint64_t(*elements) * 4 <= plan.max_storage_range) return std::nullopt;
  return "There are more elements (" + std::to_string(*elements) + ") than the device can bind as words.";
}

// Replaces the slices of input 0 that have a winner, in units of 16 bytes or of words if the slices divide
// into them.
Status add_update(const LoweringContext& context, Buffer winners, uint64_t slice) {
  const DType dtype = context.node.dtype();
  NNRT_ASSIGN(const Buffer x, copied(context, 0));
  NNRT_ASSIGN(const Buffer updates, copied(context, 2));
  NNRT_ASSIGN(const uint32_t count, count_of(context.node.shape(0)));
  const uint64_t slice_bytes = slice * size_of(dtype);
  const size_t unit = slice_bytes % 16 == 0 ? 16 : slice_bytes % 4 == 0 ? 4 : size_of(dtype);
  const UpdatePush push{uint32_t(count * uint64_t(size_of(dtype)) / unit), uint32_t(slice_bytes / unit)};
  const uint32_t lanes = unit < 4 ? uint32_t(4 / unit) : 1;
  context.sink.add(Dispatch{.shader = "scatter_update",
                            .constants = {uint32_t(unit)},
                            .push = Push(push),
                            .buffers = {winners, x, updates, context.output()},
                            .threads = threads_for(divide_up(push.count, lanes), context.plan),
                            .local = {kGroup, 1, 1}});
  return {};
}

// For each slice of input 0, the update that it takes, or -1.
Result<Buffer> add_winners(const LoweringContext& context, uint32_t slice) {
  NNRT_ASSIGN(const uint32_t count, count_of(context.node.shape(0)));
  const Buffer winners = context.sink.scratch(size_t(count / slice) * 4);
  context.sink.add(Fill{winners, std::numeric_limits<uint32_t>::max()});
  return winners;
}

Status lower_scatter_elements(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const ElementsPush push, elements_push(node));
  NNRT_ASSIGN(const Buffer winners, add_winners(context, 1));
  context.sink.add(Dispatch{.shader = "scatter_elements",
                            .constants = {4, index_words(node.dtype(1)), kFromEnd},
                            .push = Push(push),
                            .buffers = {context.input(1), winners},
                            .threads = threads_for(push.count, context.plan),
                            .local = {kGroup, 1, 1}});
  return add_update(context, winners, 1);
}

Status lower_scatter_nd_update(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape shape = at_least_vector(node.shape(0));
  NNRT_ASSIGN(const uint32_t indices, count_of(node.shape(1)));
  ScatterPush push{.width = uint32_t(at_least_vector(node.shape(1)).back())};
  push.rows = indices / push.width;
  const auto slice = uint32_t(product(shape, push.width, shape.size()));
  NNRT_ASSIGN(const Buffer winners, add_winners(context, slice));
  for (size_t k = 0; k < push.width; ++k) push.dims[k] = int32_t(shape[k]);
  context.sink.add(Dispatch{.shader = "scatter",
                            .constants = {4, index_words(node.dtype(1)), kFromEnd},
                            .push = Push(push),
                            .buffers = {context.input(1), winners},
                            .threads = threads_for(push.rows, context.plan),
                            .local = {kGroup, 1, 1}});
  return add_update(context, winners, slice);
}

Status lower_trilu(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape& shape = node.shape();
  NNRT_ASSIGN(const Buffer x, copied(context, 0));
  NNRT_ASSIGN(const uint32_t count, count_of(shape));
  TriangularPush push{.parts = parts_of(node.dtype()),
                      .rows = uint32_t(shape[shape.size() - 2]),
                      .columns = uint32_t(shape.back()),
                      .zero = zero_word(node)};
  push.count = count * push.parts;
  push.diagonal =
      int32_t(std::clamp<int64_t>(triangle_diagonal(node), -int64_t(push.rows), int64_t(push.columns)));
  const uint32_t upper = node.attrs().flag(Attr::upper) ? 1 : 0;
  context.sink.add(Dispatch{.shader = "trilu",
                            .constants = {part_bytes(node.dtype()), upper},
                            .push = Push(push),
                            .buffers = {x, context.output()},
                            .threads = threads_for(words_of(node.dtype(), count), context.plan),
                            .local = {kGroup, 1, 1}});
  return {};
}

constexpr LoweringRow kElementIndexLowerings[] = {
    {Op::gather_elements, {refuse_gather, lower_gather_elements}},
    {Op::scatter_elements, {refuse_scatter, lower_scatter_elements}},
    {Op::scatter_nd_update, {refuse_scatter, lower_scatter_nd_update}},
    {Op::trilu, {refuse_gather, lower_trilu}},
};

}  // namespace

std::span<const LoweringRow> element_index_lowerings() { return kElementIndexLowerings; }

}  // namespace nnrt::vulkan
