// RESIZE, one dimension at a time, with tables of weights.
#include "backends/vulkan/lower/data_movement/copy_commands.h"
#include "backends/vulkan/lower/sampling/lower_sampling.h"
#include "core/base/text.h"
#include "core/schema/resize_weights.h"

#include <cstring>

namespace nnrt::vulkan {
namespace {

struct ResizeAxisPush {
  uint32_t count = 0, parts = 0, in = 0, out = 0, taps = 0;
};

// Must match resize_axis.comp.
Bytes table_of(const ResizeAxis& axis) {
  Bytes bytes;
  const auto append = [&](const auto& value) {
    const std::span<const std::byte> added = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), added.begin(), added.end());
  };
  for (int64_t i = 0; i < axis.out; ++i) {
    append(uint32_t(axis.first[size_t(i)]));
    for (int64_t k = 0; k <= axis.taps; ++k) append(axis.weights_of(i)[k]);
  }
  return bytes;
}

// `form` includes everything that a table depends on besides the node's parameters.
Buffer add_table(const LoweringContext& context, const ResizeAxis& axis) {
  const std::string form = cat("resize of dimension ", axis.dimension, " from ", axis.in, " to ", axis.out);
  const uint64_t bytes = uint64_t(axis.out) * uint64_t(axis.taps + 2) * sizeof(uint32_t);
  return context.sink.packed(
      context.node.node().outputs[0], form, [&axis] { return table_of(axis); }, bytes);
}

Status add_pass(const LoweringContext& context, const ResizeAxis& axis, const Shape& from, Buffer x,
                Buffer y) {
  const int64_t inner = product(from, axis.dimension + 1, from.size());
  const uint32_t width = width_of_inner(inner);
  Shape to = from;
  to[axis.dimension] = axis.out;
  NNRT_ASSIGN(const uint32_t count, count_of(to));
  const ResizeAxisPush push{count / width, uint32_t(inner) / width, uint32_t(axis.in), uint32_t(axis.out),
                            uint32_t(axis.taps)};
  Dispatch pass =
      sampling_dispatch(context, width == 4 ? "resize_axis_f32_vec4" : "resize_axis_f32", push.count);
  pass.push = Push(push);
  pass.iterations = loop_of(push.taps);
  pass.buffers = {x, add_table(context, axis), y};
  context.sink.add(std::move(pass));
  return {};
}

}  // namespace

Status lower_resize_axes(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const std::vector<ResizeAxis> axes, resize_axes(node));
  NNRT_TRY(count_of(node.output_shape()));
  Shape shape = node.shape(0);
  NNRT_ASSIGN(const uint32_t whole, count_of(shape));
  if (axes.empty()) {
    add_whole_copy(context, context.input(0), context.output(), size_t(whole) * sizeof(float));
    return {};
  }
  Buffer x = context.input(0);
  for (const ResizeAxis& axis : axes) {
    Shape next = shape;
    next[axis.dimension] = axis.out;
    NNRT_ASSIGN(const uint32_t count, count_of(next));
    const bool is_last = &axis == &axes.back();
    const Buffer y = is_last ? context.output() : context.sink.scratch(size_t(count) * sizeof(float));
    NNRT_TRY(add_pass(context, axis, shape, x, y));
    x = y;
    shape = next;
  }
  return {};
}

}  // namespace nnrt::vulkan
