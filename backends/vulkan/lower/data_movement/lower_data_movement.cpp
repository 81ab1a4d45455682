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
      return "Outputs are quantized differently.";
    }
  }
  for (size_t i = 0; i < data_inputs(node.node()); ++i) {
    if (Refusal refusal = refuse_copied(node, i)) return refusal;
  }
  return std::nullopt;
}

Result<std::vector<Buffer>> sources_of(const LoweringContext& context) {
  std::vector<Buffer> sources;
  for (size_t i = 0; i < data_inputs(context.node.node()); ++i) {
    NNRT_ASSIGN(const Buffer source, copied(context, i));
    sources.push_back(source);
  }
  return sources;
}

// The output is the input, byte for byte.
bool is_whole(const NodeView& node, const CopyProgram& program) {
  if (program.needs_fill || program.regions.size() != 1 || node.output_count() != 1) return false;
  const CopyRegion& region = program.regions[0];
  return region.shape == Shape{element_count(node.output_shape()).value_or(0)} &&
         region.shape[0] == element_count(node.shape()) && region.from_strides == Strides{1} &&
         region.to_strides == Strides{1};
}

Status lower_data_movement(const LoweringContext& context) {
  const NodeView& node = context.node;
  const size_t element_bytes = size_of(node.dtype());
  NNRT_ASSIGN(const CopyProgram program, copy_program(node));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  NNRT_ASSIGN(const std::vector<Buffer> sources, sources_of(context));
  if (is_whole(node, program) && sources[0] == context.input(0)) {
    context.sink.alias(node.node().outputs[0], node.node().inputs[0], count * element_bytes);
    return {};
  }
  if (program.needs_fill) NNRT_TRY(add_fill(context, fill_element(node)));
  for (const CopyRegion& region : program.regions) {
    if (context.sink.is_stored_in_concat(node.node().inputs[region.input])) continue;
    NNRT_TRY(add_copy_region(context, region, element_bytes, sources[region.input],
                             context.output(region.output)));
  }
  return {};
}

// A command cannot fail a run: only what cannot fail is done.
Refusal refuse_assert(const NodeView& node, const DevicePlan&) {
  const std::byte* condition = node.data(0);
  if (condition == nullptr) return "The condition is known only in the run, which the GPU cannot fail.";
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
