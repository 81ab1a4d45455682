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

// An fp16 operand is read as the FLOAT32 tensor that it is the CAST of.
Result<std::vector<View>> sources_of(const LoweringContext& context, View::Takes taken) {
  std::vector<View> sources;
  for (size_t i = 0; i < data_inputs(context.node.node()); ++i) {
    View source = context.view(i, taken);
    if (source.buffer == context.input(i)) {
      NNRT_ASSIGN(source.buffer, copied(context, i));
      source.stored = context.node.dtype();
    }
    sources.push_back(source);
  }
  return sources;
}

// A result assembled from several operands may be written by others, which write fp16. One that is copied
// from fp16 needs no rounding.
std::vector<View> results_of(const LoweringContext& context, const std::vector<View>& sources,
                             View::Takes taken) {
  if (sources.size() > 1) taken = View::none;
  if (sources[0].stored != DType::f16) taken &= ~View::rounded;
  std::vector<View> results;
  for (size_t i = 0; i < context.node.output_count(); ++i) results.push_back(context.output_view(i, taken));
  return results;
}

Status add_region(const LoweringContext& context, const CopyRegion& region, const View& from,
                  const View& to) {
  if (from.buffer == to.buffer) return {};  // computed there
  if (from.stored == to.stored)
    return add_copy_region(context, region, size_of(from.stored), from.buffer, to.buffer);
  NNRT_ASSIGN(const uint32_t count, count_of(context.node.shape(region.input)));
  return add_cast_copy(context, region, {from.buffer, from.stored, count}, {to.buffer, to.stored});
}

Status lower_data_movement(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const CopyProgram program, copy_program(node));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const View::Takes taken = program.needs_fill ? View::none : context.takes;  // a fill writes fp16
  NNRT_ASSIGN(const std::vector<View> sources, sources_of(context, taken));
  const std::vector<View> results = results_of(context, sources, taken);
  const View& from = sources[0];
  const View& to = results[0];
  if (is_whole(node, program) && from.buffer.space == Buffer::Space::tensor && from.buffer != to.buffer) {
    if (from.stored == to.stored) {
      add_whole_copy(context, from.buffer, to.buffer, count * size_of(to.stored));
    } else {
      add_cast(context, from.buffer, from.stored, to.buffer, to.stored, count);
    }
    return {};
  }
  if (program.needs_fill) NNRT_TRY(add_fill(context, fill_element(node)));
  for (const CopyRegion& region : program.regions)
    NNRT_TRY(add_region(context, region, sources[region.input], results[region.output]));
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
  add_whole_copy(context, data, context.output(), bytes);
  return {};
}

constexpr Lowering kDataMovement{refuse_data_movement, lower_data_movement, View::floats | View::rounded};
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
