// Tensors made from shapes and parameters.
#include "backends/vulkan/lower/data_movement/copy_commands.h"
#include "backends/vulkan/lower/data_movement/requantized_inputs.h"
#include "core/base/fp16.h"

#include <algorithm>
#include <cstring>

namespace nnrt::vulkan {
namespace {

struct LiteralPush {
  uint32_t count = 0;
  Dims8 words{};
};

Refusal accept(const NodeView&, const DevicePlan&) { return std::nullopt; }

Status lower_shape(const LoweringContext& context) {
  const Shape& shape = context.node.shape();
  const LiteralPush push{uint32_t(shape.size()), dims8(shape)};
  context.sink.add(Dispatch{.shader = "literal",
                            .constants = {},
                            .push = Push(push),
                            .buffers = {context.output()},
                            .threads = {push.count, 1, 1},
                            .local = {kGroup, 1, 1}});
  return {};
}

Status lower_rank(const LoweringContext& context) {
  context.sink.add(Fill{context.output(), uint32_t(context.node.shape().size())});
  return {};
}

Refusal refuse_fill(const NodeView& node, const DevicePlan&) { return refuse_copied(node, 0); }

// If the value is known only at run time, copy it to every element.
Status lower_fill(const LoweringContext& context) {
  const NodeView& node = context.node;
  const size_t bytes = size_of(node.dtype());
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  NNRT_ASSIGN(const Buffer value, copied(context, 0));
  if (node.data(0) != nullptr && value == context.input(0)) {
    if (const auto word = repeated(Bytes(node.data(0), node.data(0) + bytes))) {
      context.sink.add(Fill{context.output(), *word});
      return {};
    }
  }
  return add_copy_region(context, {0, 0, {count}, 0, 0, {0}, {1}}, bytes, value, context.output());
}

Status lower_constant_of_shape(const LoweringContext& context) {
  return add_fill(context, fill_element(context.node));
}

void store(int64_t value, DType dtype, std::byte* to) {
  if (dtype == DType::f32) {
    const auto real = float(value);
    std::memcpy(to, &real, sizeof real);
  } else if (dtype == DType::f16) {
    const Half half = to_half(float(value));  // float is exact below 2^24, and fp16 overflows far earlier
    std::memcpy(to, &half, sizeof half);
  } else {
    std::memcpy(to, &value, size_of(dtype));
  }
}

// Computed in wrapping 64-bit integers, then converted.
Bytes range_of(const NodeView& node, size_t count) {
  const DType dtype = node.output(0).dtype;
  const size_t element_bytes = size_of(dtype);
  const auto delta = uint64_t(node.attrs().integer(Attr::delta));
  auto element = uint64_t(node.attrs().integer(Attr::start));
  Bytes bytes(count * element_bytes);
  for (size_t i = 0; i < count; ++i, element += delta) {
    store(int64_t(element), dtype, bytes.data() + i * element_bytes);
  }
  return bytes;
}

Refusal refuse_range(const NodeView& node, const DevicePlan&) {
  if (node.input_count() > 1) return "Bounds as inputs are not supported on the GPU.";
  return node.dtype() == DType::f64 ? not_computed(node.dtype()) : std::nullopt;
}

Status lower_range(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const size_t bytes = count * size_of(node.output(0).dtype);
  const Buffer range = context.sink.packed(
      node.node().outputs[0], "range", [&] { return range_of(node, count); }, bytes);
  context.sink.add(Copy{range, context.output(), {{0, 0, bytes}}});
  return {};
}

constexpr LoweringRow kCreationLowerings[] = {
    {Op::fill, {refuse_fill, lower_fill}},    {Op::constant_of_shape, {accept, lower_constant_of_shape}},
    {Op::range, {refuse_range, lower_range}}, {Op::shape, {accept, lower_shape}},
    {Op::rank, {accept, lower_rank}},
};

}  // namespace

std::span<const LoweringRow> creation_lowerings() { return kCreationLowerings; }

}  // namespace nnrt::vulkan
