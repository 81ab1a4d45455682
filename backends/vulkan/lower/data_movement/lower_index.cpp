// Elements selected or placed by index (R20). The shaders check indices, because they may be known only at
// run time.
#include "backends/vulkan/lower/data_movement/requantized_inputs.h"
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

using IndexDims = std::array<int32_t, kMaxDims>;

struct GatherPush {
  uint32_t count = 0, rows = 0, slice = 0, zero = 0, width = 0;
  IndexDims dims{};
};

struct ScatterPush {
  uint32_t rows = 0;
  int32_t step = 1;
  uint32_t width = 0;
  IndexDims dims{};
};

struct OneHotPush {
  uint32_t count = 0, depth = 0, inner = 0;
};

// Treats a scalar operand as [1] (R6).
Shape at_least_vector(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

IndexDims index_dims(const Shape& shape, size_t from, size_t width) {
  IndexDims dims{};
  for (size_t k = 0; k < width; ++k) dims[k] = int32_t(shape[from + k]);
  return dims;
}

uint32_t index_words(DType dtype) { return uint32_t(size_of(dtype) / 4); }

struct Slices {
  Buffer indices, x;
  DType index_dtype = DType::i32;
  bool from_end = false;
  GatherPush push;
};

// Moves slices in units of 16 bytes or of words if they divide into them.
void add_gather(const LoweringContext& context, Slices slices, size_t element_bytes) {
  GatherPush& push = slices.push;
  push.zero = repeated(fill_element(context.node)).value_or(0);
  const uint64_t slice_bytes = uint64_t(push.slice) * element_bytes;
  const size_t unit = slice_bytes % 16 == 0 ? 16 : slice_bytes % 4 == 0 ? 4 : element_bytes;
  push.count = uint32_t(push.count * uint64_t(element_bytes) / unit);
  push.slice = uint32_t(slice_bytes / unit);
  const uint32_t lanes = unit < 4 ? uint32_t(4 / unit) : 1;
  context.sink.add(Dispatch{.shader = "gather",
                            .constants = {uint32_t(unit), index_words(slices.index_dtype), slices.from_end},
                            .push = Push(push),
                            .buffers = {slices.indices, slices.x, context.output()},
                            .threads = threads_for(divide_up(push.count, lanes), context.plan),
                            .local = {kGroup, 1, 1}});
}

Refusal refuse_gather(const NodeView& node, const DevicePlan&) { return refuse_copied(node, 0); }

Status lower_gather(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape shape = at_least_vector(node.shape());
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.integers(2)->at(0), shape.size()));
  Slices slices{.indices = context.input(1), .index_dtype = node.dtype(1), .from_end = true};
  NNRT_ASSIGN(slices.x, copied(context, 0));
  NNRT_ASSIGN(slices.push.count, count_of(node.output_shape()));
  NNRT_ASSIGN(slices.push.rows, count_of(node.shape(1)));
  slices.push.slice = uint32_t(product(shape, size_t(axis) + 1, shape.size()));
  slices.push.width = 1;
  slices.push.dims = index_dims(shape, size_t(axis), 1);
  add_gather(context, slices, size_of(node.dtype()));
  return {};
}

Status lower_gather_nd(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape shape = at_least_vector(node.shape());
  const auto width = size_t(at_least_vector(node.shape(1)).back());
  Slices slices{.indices = context.input(1), .index_dtype = node.dtype(1)};
  NNRT_ASSIGN(slices.x, copied(context, 0));
  NNRT_ASSIGN(slices.push.count, count_of(node.output_shape()));
  NNRT_ASSIGN(const uint32_t indices, count_of(node.shape(1)));
  slices.push.rows = indices / uint32_t(width);
  slices.push.slice = uint32_t(product(shape, width, shape.size()));
  slices.push.width = uint32_t(width);
  slices.push.dims = index_dims(shape, 0, width);
  add_gather(context, slices, size_of(node.dtype()));
  return {};
}

Refusal refuse_scatter(const NodeView& node, const DevicePlan& plan) {
  if (Refusal refusal = refuse_copied(node, 1)) return refusal;
  const auto indices = element_count(node.output_shape());
  if (!indices || uint64_t(*indices) * 4 <= plan.max_storage_range) return std::nullopt;
  return "There are more indices (" + std::to_string(*indices) + ") than the device can bind as words.";
}

// Finds the update row for each output slice, then gathers these rows, or zeros if there is none.
Status lower_scatter(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape& shape = node.output_shape();
  const auto width = size_t(node.shape(0).back());
  NNRT_ASSIGN(const Buffer updates, copied(context, 1));
  NNRT_ASSIGN(const uint32_t count, count_of(shape));
  NNRT_ASSIGN(const uint32_t indices, count_of(node.shape(0)));
  const auto slice = uint32_t(product(shape, width, shape.size()));
  NNRT_ASSIGN(const uint32_t updated, count_of(node.shape(1)));
  const uint32_t rows = updated / slice;
  const Buffer winners = context.sink.scratch(size_t(count / slice) * 4);
  context.sink.add(Fill{winners, std::numeric_limits<uint32_t>::max()});
  const ScatterPush push{indices / uint32_t(width), rows == 1 ? 0 : 1, uint32_t(width),
                         index_dims(shape, 0, width)};
  context.sink.add(Dispatch{.shader = "scatter",
                            .constants = {4, index_words(node.dtype(0))},
                            .push = Push(push),
                            .buffers = {context.input(0), winners},
                            .threads = threads_for(push.rows, context.plan),
                            .local = {kGroup, 1, 1}});
  Slices slices{.indices = winners, .x = updates};
  slices.push = {count, count / slice, slice, 0, 1, {int32_t(rows)}};
  add_gather(context, slices, size_of(node.dtype(1)));
  return {};
}

Refusal refuse_one_hot(const NodeView& node, const DevicePlan&) {
  constexpr size_t kWord = 4;
  if (size_of(node.output(0).dtype) <= kWord) return std::nullopt;
  return "8-byte elements are not supported on the GPU.";
}

Status lower_one_hot(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape& shape = node.output_shape();
  const int64_t axis = node.attrs().integer(Attr::axis);
  OneHotPush push;
  NNRT_ASSIGN(push.count, count_of(shape));
  push.depth = uint32_t(node.integers(1)->at(0));
  push.inner = axis < 0 ? 1 : uint32_t(product(shape, size_t(axis) + 1, shape.size()));
  const DType dtype = node.output(0).dtype;
  context.sink.add(
      Dispatch{.shader = "one_hot",
               .constants = {uint32_t(size_of(dtype)), index_words(node.dtype(0))},
               .push = Push(push),
               .buffers = {context.input(0), context.input(2), context.input(3), context.output()},
               .threads = threads_for(words_of(dtype, push.count), context.plan),
               .local = {kGroup, 1, 1}});
  return {};
}

constexpr LoweringRow kIndexLowerings[] = {
    {Op::gather, {refuse_gather, lower_gather}},       {Op::gather_nd, {refuse_gather, lower_gather_nd}},
    {Op::scatter_nd, {refuse_scatter, lower_scatter}}, {Op::sparse_to_dense, {refuse_scatter, lower_scatter}},
    {Op::one_hot, {refuse_one_hot, lower_one_hot}},
};

}  // namespace

std::span<const LoweringRow> index_lowerings() { return kIndexLowerings; }

}  // namespace nnrt::vulkan
