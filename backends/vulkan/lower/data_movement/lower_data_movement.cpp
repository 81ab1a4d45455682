#include "backends/vulkan/lower/common/cast_command.h"
#include "backends/vulkan/lower/data_movement/casting_copies.h"
#include "backends/vulkan/lower/data_movement/copy_commands.h"
#include "backends/vulkan/lower/data_movement/requantized_inputs.h"
#include "core/schema/rules.h"

#include <algorithm>
#include <vector>

namespace nnrt::vulkan {
namespace {

Refusal refuse_data_movement(const NodeView& node, const DevicePlan&) {
  const Tensor& first = node.output(0);
  const bool requantized = requantizes(node.schema(), node.input(0), first);
  for (size_t i = 1; i < node.output_count(); ++i) {
    const Tensor& other = node.output(i);
    const bool alike = !requantized || other.quant == first.quant;
    if (requantizes(node.schema(), node.input(0), other) != requantized || !alike) {
      return "The outputs' quantizations differ.";
    }
  }
  for (size_t i = 0; i < data_inputs(node.node()); ++i) {
    if (Refusal refusal = refuse_copied(node, i)) return refusal;
  }
  return std::nullopt;
}

// The buffer of an operand or result, and the dtype stored there.
struct Place {
  Buffer buffer;
  DType dtype{};
};

// If an fp16 operand is the CAST of a FLOAT32 tensor, reads the latter.
Result<std::vector<Place>> sources_of(const LoweringContext& context, bool casts) {
  const NodeView& node = context.node;
  std::vector<Place> sources;
  for (size_t i = 0; i < data_inputs(node.node()); ++i) {
    const auto floats = casts ? context.sink.float_input(node.node().inputs[i], true) : std::nullopt;
    NNRT_ASSIGN(const Buffer source, copied(context, i));
    sources.push_back(floats ? Place{*floats, DType::f32} : Place{source, node.dtype()});
  }
  return sources;
}

// A result assembled from several operands may be written by others (concat_elision.h), which write fp16.
std::vector<Place> results_of(const LoweringContext& context, const std::vector<Place>& sources, bool casts) {
  const NodeView& node = context.node;
  std::vector<Place> results;
  for (size_t i = 0; i < node.output_count(); ++i) {
    const TensorId id = node.node().outputs[i];
    const bool is_rounded = sources[0].dtype == DType::f16;
    const auto floats =
        casts && sources.size() == 1 ? context.sink.float_output(id, is_rounded) : std::nullopt;
    results.push_back(floats ? Place{*floats, DType::f32} : Place{context.output(i), node.dtype()});
  }
  return results;
}

Status add_region(const LoweringContext& context, const CopyRegion& region, const Place& from,
                  const Place& to) {
  if (from.dtype == to.dtype)
    return add_copy_region(context, region, size_of(from.dtype), from.buffer, to.buffer);
  NNRT_ASSIGN(const uint32_t count, count_of(context.node.shape(region.input)));
  return add_cast_copy(context, region, {from.buffer, from.dtype, count}, {to.buffer, to.dtype});
}

Status lower_data_movement(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const CopyProgram program, copy_program(node));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  // A fill writes fp16.
  const bool casts = node.dtype() == DType::f16 && !program.needs_fill;
  NNRT_ASSIGN(const std::vector<Place> sources, sources_of(context, casts));
  const std::vector<Place> results = results_of(context, sources, casts);
  if (is_whole(node, program) && sources[0].buffer.space == Buffer::Space::tensor) {
    const Place& from = sources[0];
    const Place& to = results[0];
    if (from.dtype == to.dtype) {
      context.sink.alias(to.buffer.id, from.buffer.id, count * size_of(to.dtype));
    } else {
      add_cast(context, from.buffer, from.dtype, to.buffer, to.dtype, count);
    }
    return {};
  }
  if (program.needs_fill) NNRT_TRY(add_fill(context, fill_element(node)));
  for (const CopyRegion& region : program.regions) {
    if (context.sink.is_stored_in_concat(node.node().inputs[region.input])) continue;
    NNRT_TRY(add_region(context, region, sources[region.input], results[region.output]));
  }
  return {};
}

// A GPU command cannot fail a run, so only an ASSERT that is known to hold is supported.
Refusal refuse_assert(const NodeView& node, const DevicePlan&) {
  const std::byte* condition = node.data(0);
  if (condition == nullptr)
    return "The condition is only known at run time, when the GPU cannot report a failure.";
  if (*condition == std::byte(0)) return "The condition is false.";
  return refuse_copied(node, 1);
}

Status lower_assert(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape(1)));
  NNRT_ASSIGN(const Buffer data, copied(context, 1));
  const size_t bytes = count * size_of(node.dtype(1));
  if (data == context.input(1)) {
    context.sink.alias(node.node().outputs[0], node.node().inputs[1], bytes);
  } else {
    context.sink.add(Copy{data, context.output(), {{0, 0, bytes}}});
  }
  return {};
}

constexpr Lowering kDataMovement{refuse_data_movement, lower_data_movement};
constexpr LoweringRow kDataMovementLowerings[] = {
    {Op::reshape, kDataMovement},
    {Op::flatten, kDataMovement},
    {Op::squeeze, kDataMovement},
    {Op::unsqueeze, kDataMovement},
    {Op::expand_dims, kDataMovement},
    {Op::transpose, kDataMovement},
    {Op::slice, kDataMovement},
    {Op::strided_slice, kDataMovement},
    {Op::crop, kDataMovement},
    {Op::tile, kDataMovement},
    {Op::broadcast_to, kDataMovement},
    {Op::concat, kDataMovement},
    {Op::stack, kDataMovement},
    {Op::split, kDataMovement},
    {Op::unstack, kDataMovement},
    {Op::depth_to_space, kDataMovement},
    {Op::space_to_depth, kDataMovement},
    {Op::batch_to_space_nd, kDataMovement},
    {Op::space_to_batch_nd, kDataMovement},
    {Op::pad, kDataMovement},
    {Op::pad_edge, kDataMovement},
    {Op::pad_wrap, kDataMovement},
    {Op::assert_, {refuse_assert, lower_assert}},
};

}  // namespace

std::span<const LoweringRow> data_movement_lowerings() { return kDataMovementLowerings; }

}  // namespace nnrt::vulkan
