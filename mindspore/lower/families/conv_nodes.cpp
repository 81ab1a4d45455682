// Convolutions.
#include "core/base/text.h"
#include "mindspore/lower/constants.h"
#include "mindspore/lower/spatial_fields.h"

namespace nnrt::mindspore {
namespace {

Value bias_of(Lowering& op, const Value& data, int64_t channels) {
  return op.has(2) ? op.in(2) : zero_bias(op.graph, data, channels);
}

// A group of 0 means one for each output channel.
int64_t group_of(const Lowering& op, const Value& weight) {
  const int64_t group = op.primitive.integer("group");
  return group == 0 ? weight.dim(0) : group;
}

void check_kernel(Lowering& op, const Value& weight) {
  const Integers kernel = pair_field(op, "kernel_size", -1);
  for (size_t i = 0; i < kernel.size() && i < 2; ++i)
    if (kernel[i] > 0 && kernel[i] != weight.dim(i + 1))
      op.fail(invalid("The kernel size (", kernel[i], ") is not the weight's (", weight.dim(i + 1), ")."));
}

void check_ranks(Lowering& op, const Value& data, const Value& weight) {
  if (data.rank() != 4 || weight.rank() != 4)
    op.fail(invalid("The data of ", to_string(data.shape), " or the weight of ", to_string(weight.shape),
                    " does not have 4 dimensions."));
}

// Weights are [outC, height, width, inC / group], as in OH_NN.
void lower_conv(Lowering& op) {
  const Value data = op.in(0), weight = op.in(1);
  check_ranks(op, data, weight);
  check_kernel(op, weight);
  const int64_t group = group_of(op, weight);
  const bool is_depthwise = group > 1 && weight.dim(3) == 1 && weight.dim(0) == group &&
                            (data.dim(3) == group || data.dim(3) == kUnknown);
  Settings settings{{Attr::stride, pair_field(op, "stride", 1)},
                    {Attr::dilation, pair_field(op, "dilation", 1)}};
  add_padding(op, settings, "pad_list");
  if (!is_depthwise) settings.push_back({Attr::group, group});
  const Value bias = bias_of(op, data, weight.dim(0));
  op.emit_activated(is_depthwise ? Op::depthwise_conv2d_native : Op::conv2d, {data, weight, bias},
                    std::move(settings), op.primitive.integer("activation_type"));
}

// From [inC, height, width, outC / group] to OH_NN's [outC, height, width, inC / group]. Graphs of builders
// have OH_NN's order; in others, the data's channels tell.
Value transposed_weight(Lowering& op, const Value& weight, int64_t channels, int64_t group) {
  if (op.is_from_builders() || (weight.dim(0) != channels && weight.dim(3) * group == channels))
    return weight;
  if (group < 1 || weight.dim(0) % group != 0)
    op.fail(invalid("The group (", group, ") does not divide the input channels (", weight.dim(0), ")."));
  if (weight.quant.scales.size() > 1 && weight.dim(3) != 1)
    op.refuse("A transposed convolution has weights with a scale for each channel.");
  const int64_t in = weight.dim(0) / group, height = weight.dim(1), width = weight.dim(2),
                out = weight.dim(3);
  constexpr int64_t kPerm[] = {0, 4, 2, 3, 1};
  return repacked(op.graph, weight, {group, in, height, width, out}, kPerm, {group * out, height, width, in});
}

void lower_transposed_conv(Lowering& op) {
  const Value data = op.in(0), stored = op.in(1);
  check_ranks(op, data, stored);
  check_kernel(op, stored);
  const int64_t group = group_of(op, stored);
  const Value weight = transposed_weight(op, stored, data.dim(3), group);
  Settings settings{{Attr::stride, pair_field(op, "stride", 1)}, {Attr::group, group}};
  if (op.primitive.integer("pad_mode") == int64_t(PadMode::valid)) {
    settings.push_back({Attr::pad_mode, 1});  // list, dilation and output padding do not count
  } else {
    add_padding(op, settings, op.primitive.has("pad_list") ? "pad_list" : "pad");
    settings.push_back({Attr::dilation, pair_field(op, "dilation", 1)});
    settings.push_back({Attr::output_padding, pair_field(op, "output_paddings", 0)});
  }
  const Value bias = bias_of(op, data, weight.dim(0));
  op.emit_activated(Op::conv2d_transpose, {data, weight, bias}, std::move(settings),
                    op.primitive.integer("activation_type"));
}

}  // namespace

std::span<const LoweringRow> conv_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::conv2d_fusion, 2, 3, lower_conv, Op::conv2d},
      {PrimitiveType::conv2d_transpose_fusion, 2, 3, lower_transposed_conv, Op::conv2d_transpose},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
