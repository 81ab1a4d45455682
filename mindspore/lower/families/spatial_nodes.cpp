// Convolutions, pooling and resizing.
#include "core/base/text.h"
#include "mindspore/lower/constants.h"
#include "mindspore/lower/node_lowering.h"

#include <cmath>

namespace nnrt::mindspore {
namespace {

// A field of one or two numbers, [height, width]; `fallback` for both if it is absent.
Integers pair_field(Lowering& op, std::string_view field, int64_t fallback) {
  Integers values = op.primitive.integers(field);
  if (values.empty()) return {fallback, fallback};
  if (values.size() == 1) values.push_back(values[0]);
  if (values.size() != 2) op.fail(invalid("Field ", field, " has ", values.size(), " numbers, not 2."));
  return values;
}

// The padding: SAME, or the list up, down, left, right, which also counts with VALID.
void add_padding(Lowering& op, Settings& settings, std::string_view list_field) {
  const int64_t mode = op.primitive.integer("pad_mode");
  if (mode == int64_t(PadMode::same)) return settings.push_back({Attr::pad_mode, 0});
  if (mode != int64_t(PadMode::pad) && mode != int64_t(PadMode::valid))
    op.refuse("Pad mode (", mode, ") is outside [0, 2].");
  Integers list = op.primitive.integers(list_field);
  if (list.empty()) list.assign(4, 0);
  if (list.size() != 4) op.fail(invalid("Field ", list_field, " has ", list.size(), " numbers, not 4."));
  settings.push_back({Attr::pad, std::move(list)});
}

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
                    std::move(settings));
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
  op.emit_activated(Op::conv2d_transpose, {data, weight, bias}, std::move(settings));
}

// With round mode CEIL OH_NN drops a last kernel that starts in the padding, MindSpore does not.
void check_ceil(Lowering& op, const Value& data, const Integers& kernel, const Integers& stride) {
  Integers pad = op.primitive.integers("pad");
  if (op.primitive.integer("round_mode") != 1 || pad.size() != 4) return;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t in = data.dim(d + 1), padded = in + pad[2 * d] + pad[2 * d + 1];
    if (in == kUnknown || stride[d] < 1) continue;
    const int64_t out = (padded - kernel[d] + stride[d] - 1) / stride[d] + 1;
    if ((out - 1) * stride[d] >= in + pad[2 * d])
      op.refuse("The last kernel of a pool has no cell of the input.");
  }
}

void lower_pool(Lowering& op) {
  const Value data = op.in(0);
  if (op.primitive.flag("global")) return op.emit_activated(op.op(), {data}, {{Attr::global, 1}});
  const Integers kernel = pair_field(op, "kernel_size", 1), stride = pair_field(op, "strides", 1);
  Settings settings{{Attr::kernel, kernel}, {Attr::stride, stride}};
  add_padding(op, settings, "pad");
  check_ceil(op, data, kernel, stride);
  settings.push_back({Attr::round_mode, op.primitive.integer("round_mode")});
  op.emit_activated(op.op(), {data}, std::move(settings));
}

// The size: of one element it is a zoom, of two height and width, of four all; floats are factors.
Integers resized(Lowering& op, const Value& data) {
  const int64_t height = data.dim(1), width = data.dim(2);
  if (!op.has(1)) return {op.primitive.integer("new_height"), op.primitive.integer("new_width")};
  const Value size = op.in(1);
  if (is_float(size.dtype)) {
    const std::optional<Reals> factors = op.reals(1);
    if (factors && factors->size() == 4 && height > 0 && width > 0)
      return {std::llround(float(height) * (*factors)[1]), std::llround(float(width) * (*factors)[2])};
    op.refuse("The factors are not 4 constant numbers, or the size of the image is not known.");
  }
  const Integers given = op.constant_integers(1, "new sizes");
  if (given.size() == 4) return {given[1], given[2]};
  if (given.size() == 2) return given;
  if (given.size() == 1 && height > 0 && width > 0)
    return {height + (height - 1) * (given[0] - 1), width + (width - 1) * (given[0] - 1)};
  op.refuse("The new size has ", given.size(), " numbers.");
}

// Nearest and cubic. The default of nearest rounds down, or half up where corners are aligned.
void lower_general_resize(Lowering& op, const Value& data, const Integers& size, ResizeMethod method) {
  constexpr int64_t kCoordinates[] = {4, 3, 0};  // asymmetric, align corners, half pixel
  constexpr int64_t kRoundings[] = {2, 0, 1, 2, 3};
  const int64_t mode = op.primitive.integer("coordinate_transform_mode");
  const int64_t rounding = op.primitive.integer("nearest_mode");
  if (mode < 0 || mode > 2 || rounding < 0 || rounding > 4)
    op.refuse("Coordinate mode (", mode, ") or nearest mode (", rounding, ") is unknown.");
  const int64_t batch = data.dim(0), channels = data.dim(3);
  if (batch < 1 || channels < 1) op.refuse("The shape of the image is not known.");
  const bool is_nearest = method == ResizeMethod::nearest;
  const bool rounds_half_up = rounding == 0 && mode == int64_t(CoordinateMode::align_corners);
  Settings settings{{Attr::mode, is_nearest ? 0 : 2}, {Attr::coordinate_mode, kCoordinates[mode]}};
  if (is_nearest)
    settings.push_back({Attr::nearest_mode, rounds_half_up ? int64_t{1} : kRoundings[rounding]});
  if (!is_nearest) {
    settings.push_back({Attr::cubic_coefficient, op.primitive.real("cubic_coeff")});
    settings.push_back({Attr::exclude_outside, op.primitive.integer("exclude_outside")});
  }
  op.emit_results(Op::resize, {data, op.graph.integers({batch, size[0], size[1], channels})}, settings);
}

void lower_resize(Lowering& op) {
  const Value data = op.in(0);
  if (data.rank() != 4) op.fail(invalid("The image has ", data.rank(), " dimensions, not 4."));
  const Integers size = resized(op, data);
  const auto method = ResizeMethod(op.primitive.integer("method"));
  if (method != ResizeMethod::linear) return lower_general_resize(op, data, size, method);
  op.emit_results(Op::resize_bilinear, {data},
                  {{Attr::new_height, size[0]},
                   {Attr::new_width, size[1]},
                   {Attr::preserve_aspect_ratio, op.primitive.integer("preserve_aspect_ratio")},
                   {Attr::coordinate_mode, op.primitive.integer("coordinate_transform_mode")},
                   {Attr::exclude_outside, op.primitive.integer("exclude_outside")}});
}

}  // namespace

std::span<const LoweringRow> spatial_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::conv2d_fusion, 2, 3, lower_conv, Op::conv2d},
      {PrimitiveType::conv2d_transpose_fusion, 2, 3, lower_transposed_conv, Op::conv2d_transpose},
      {PrimitiveType::avg_pool_fusion, 1, 1, lower_pool, Op::avg_pool},
      {PrimitiveType::max_pool_fusion, 1, 1, lower_pool, Op::max_pool},
      {PrimitiveType::resize, 1, 2, lower_resize},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
