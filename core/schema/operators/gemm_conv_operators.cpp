// Products and sums: convolution, fully connected, matrix product.
#include "core/schema/geometry.h"
#include "core/schema/rules.h"
#include "core/schema/schema.h"
#include "core/schema/spatial_axes.h"

namespace nnrt {
namespace {

// Collects one size from parameters and operands, and checks that they agree.
class Size {
 public:
  explicit Size(std::string_view what) : what_(what) {}

  Status merge(int64_t value) {
    if (conflict(value_, value)) return invalid("The ", what_, " is both ", value_, " and ", value, ".");
    if (value_ == kUnknown) value_ = value;
    return {};
  }
  // 0 is "not given".
  Status merge_param(int64_t value) {
    if (value < 0) return invalid("The ", what_, " (", value, ") is below 0.");
    return value == 0 ? Status() : merge(value);
  }
  int64_t value() const { return value_; }

 private:
  std::string_view what_;
  int64_t value_ = kUnknown;
};

struct Sizes {
  Size steps{"sequence length"}, batch{"batch"}, input{"input size"}, hidden{"hidden size"},
      states{"number of layers times directions"};
};

// Dimensions of one operand, in the order of the specification; multiples of the hidden size are checked
// separately.
Status merge_shape(const NodeView& node, size_t input, std::initializer_list<Size*> sizes) {
  NNRT_TRY(require_rank(node, input, sizes.size(), sizes.size()));
  size_t d = 0;
  for (Size* size : sizes) {
    if (size != nullptr) NNRT_TRY(size->merge(node.shape(input)[d]));
    ++d;
  }
  return {};
}

Result<Sizes> sizes_of(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  Sizes sizes;
  NNRT_TRY(sizes.input.merge_param(attrs.integer(Attr::input_size)));
  NNRT_TRY(sizes.hidden.merge_param(attrs.integer(Attr::hidden_size)));
  NNRT_TRY(merge_shape(node, 0, {&sizes.steps, &sizes.batch, &sizes.input}));
  NNRT_TRY(merge_shape(node, 1, {&sizes.states, nullptr, &sizes.input}));
  NNRT_TRY(merge_shape(node, 2, {&sizes.states, nullptr, &sizes.hidden}));
  NNRT_TRY(merge_shape(node, 3, {&sizes.states, nullptr}));
  NNRT_TRY(merge_shape(node, 4, {&sizes.states, &sizes.batch, &sizes.hidden}));
  NNRT_TRY(merge_shape(node, 5, {&sizes.states, &sizes.batch, &sizes.hidden}));
  const int64_t hidden = sizes.hidden.value();
  if (hidden > std::numeric_limits<int32_t>::max())
    return invalid("The hidden size (", hidden, ") is too large.");
  if (hidden >= 0) {
    for (size_t i = 1; i <= 2; ++i) NNRT_TRY(require_dimension(node, i, 1, 4 * hidden, "4 hidden sizes"));
    NNRT_TRY(require_dimension(node, 3, 1, 8 * hidden, "8 hidden sizes"));
  }
  return sizes;
}

Status check_numbers(const Attrs& attrs) {
  if (attrs.integer(Attr::proj_size) != 0) {
    return invalid("The projection size (", attrs.integer(Attr::proj_size), ") is not 0.");
  }
  for (const Attr attr : {Attr::dropout, Attr::zoneout_cell, Attr::zoneout_hidden}) {
    const double value = attrs.real(attr);
    if (!(value >= 0 && value <= 1)) return invalid("Dropout or zoneout (", value, ") is outside [0, 1].");
  }
  const double clip = attrs.real(Attr::cell_clip);
  if (!(clip >= 0)) return invalid("The cell clip (", clip, ") is below 0.");
  return {};
}

Result<Shapes> lstm_shape(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  NNRT_TRY(check_numbers(attrs));
  NNRT_ASSIGN(const Sizes sizes, sizes_of(node));
  const int64_t directions = attrs.flag(Attr::bidirectional) ? 2 : 1;
  Size given_directions("number of directions");
  NNRT_TRY(given_directions.merge(directions));
  NNRT_TRY(given_directions.merge_param(attrs.integer(Attr::num_directions)));
  const int64_t given_layers = attrs.integer(Attr::num_layers);
  const int64_t layers = given_layers == 0 ? 1 : given_layers;
  const int64_t states = sizes.states.value();
  if (layers < 1) return invalid("The number of layers (", layers, ") is below 1.");
  if (states >= 0 && (states % directions != 0 || states / directions != layers)) {
    return invalid("The weights are for ", states, " layers times directions, not for ", layers, " times ",
                   directions, ".");
  }
  const int64_t hidden = sizes.hidden.value();
  const int64_t width = hidden < 0 ? kUnknown : hidden * directions;
  if (layers > 1 && conflict(sizes.input.value(), width)) {
    return invalid("The input size (", sizes.input.value(), ") of several layers is not the output's width (",
                   width, ").");
  }
  const Shape state{states, sizes.batch.value(), hidden};
  return Shapes{{sizes.steps.value(), sizes.batch.value(), width}, state, state};
}

OpSchema lstm_row() {
  return {.op = Op::lstm,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "wIh", .same_as = 0},
                     {.name = "wHh", .same_as = 0},
                     {.name = "bias", .same_as = 0},
                     {.name = "hx", .same_as = 0},
                     {.name = "cx", .same_as = 0}},
          .params = {flag_param(Param::lstm_bidirectional, Attr::bidirectional),
                     flag_param(Param::lstm_has_bias, Attr::has_bias),
                     integer_param(Param::lstm_input_size, Attr::input_size, 0),
                     integer_param(Param::lstm_hidden_size, Attr::hidden_size, 0),
                     integer_param(Param::lstm_num_layers, Attr::num_layers, 0),
                     integer_param(Param::lstm_num_directions, Attr::num_directions, 0),
                     real_param(Param::lstm_dropout, Attr::dropout, 0),
                     real_param(Param::lstm_zoneout_cell, Attr::zoneout_cell, 0),
                     real_param(Param::lstm_zoneout_hidden, Attr::zoneout_hidden, 0),
                     integer_param(Param::lstm_proj_size, Attr::proj_size, 0),
                     real_param(Param::lstm_cell_clip, Attr::cell_clip, 0)},
          .outputs = {{.name = "output"}, {.name = "hy"}, {.name = "cy"}},
          .infer = lstm_shape};
}

// The bias has the input's dtype, or INT32 for quantized INT8 (R12).
InputRow bias_input() { return {.name = "bias", .dtypes = kFloat | DType::i32, .same_as = 0}; }

Status require_rank_4_weight(const NodeView& node) { return require_rank(node, 1, 4, 4); }

Status require_rank_4_operands(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 4, 4));
  return require_rank_4_weight(node);
}

// Checks the channels of input, weight and bias; both channel counts must be divisible by `group`.
Status check_channels(const NodeView& node, int64_t in_channels, int64_t group) {
  const int64_t out_channels = node.shape(1)[0];
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  if (group < 1 || group > kLargest) {
    return invalid("The group (", group, ") is outside [1, ", kLargest, "].");
  }
  if (in_channels >= 0 && in_channels % group != 0) {
    return invalid("The input's channels (", in_channels, ") are not divisible by the group (", group, ").");
  }
  if (out_channels >= 0 && out_channels % group != 0) {
    return invalid("The output's channels (", out_channels, ") are not divisible by the group (", group,
                   ").");
  }
  if (in_channels >= 0) {
    const size_t last = node.shape(1).size() - 1;
    NNRT_TRY(require_dimension(node, 1, last, in_channels / group, "the input's channels in a group"));
  }
  return require_vector(node, 2, out_channels, "the number of output channels");
}

Result<Shapes> conv_shape(const NodeView& node, const SpatialParams& spatial, int64_t group) {
  const Layout layout = layout_of(node.format());
  NNRT_TRY(check_channels(node, node.shape(0)[layout.c], group));
  Shape output = node.shape(0);
  output[layout.h] = spatial.out[0];
  output[layout.w] = spatial.out[1];
  output[layout.c] = node.shape(1)[0];
  return Shapes{output};
}

Result<Shapes> conv2d_shape(const NodeView& node) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(node));
  return conv_shape(node, spatial, node.attrs().integer(Attr::group));
}

Result<Shapes> transposed_shape(const NodeView& node) {
  NNRT_ASSIGN(const SpatialParams spatial, transposed_spatial_params(node));
  return conv_shape(node, spatial, node.attrs().integer(Attr::group));
}

// One group per channel.
Result<Shapes> depthwise_shape(const NodeView& node) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(node));
  NNRT_TRY(require_dimension(node, 1, 3, 1, "one input channel"));
  const int64_t channels = node.shape(0)[layout_of(node.format()).c];
  return conv_shape(node, spatial, channels < 0 ? 1 : channels);
}

OpSchema conv(Op op, InferFunction infer, std::vector<ParamRow> params) {
  OpSchema row{.op = op, .quantized = true, .layout_dependent = true};
  row.inputs = {
      quantized_input("input"), {.name = "weight", .same_as = 0, .per_channel = true}, bias_input()};
  row.params = std::move(params);
  row.outputs = {{.name = "output", .sums = true}};
  row.infer = infer;
  row.operation_check = require_rank_4_weight;
  return row;
}

OpSchema conv2d() {
  return conv(
      Op::conv2d, conv2d_shape,
      {integers_param(Param::conv2d_strides, Attr::stride, {2, 2}, {1, 1}), pad_param(Param::conv2d_pad),
       integers_param(Param::conv2d_dilation, Attr::dilation, {2, 2}, {1, 1}),
       pad_mode_param(Param::conv2d_pad_mode), activation_param(Param::conv2d_activation_type),
       integer_param(Param::conv2d_group, Attr::group, 1)});
}

OpSchema conv2d_transpose() {
  return conv(Op::conv2d_transpose, transposed_shape,
              {integers_param(Param::conv2d_transpose_strides, Attr::stride, {2, 2}, {1, 1}),
               pad_param(Param::conv2d_transpose_pad),
               integers_param(Param::conv2d_transpose_dilation, Attr::dilation, {2, 2}, {1, 1}),
               integers_param(Param::conv2d_transpose_output_paddings, Attr::output_padding, {1, 2}, {0, 0}),
               pad_mode_param(Param::conv2d_transpose_pad_mode),
               activation_param(Param::conv2d_transpose_activation_type),
               integer_param(Param::conv2d_transpose_group, Attr::group, 1)});
}

OpSchema depthwise() {
  OpSchema row =
      conv(Op::depthwise_conv2d_native, depthwise_shape,
           {integers_param(Param::depthwise_conv2d_native_strides, Attr::stride, {2, 2}, {1, 1}),
            pad_param(Param::depthwise_conv2d_native_pad),
            integers_param(Param::depthwise_conv2d_native_dilation, Attr::dilation, {2, 2}, {1, 1}),
            pad_mode_param(Param::depthwise_conv2d_native_pad_mode),
            activation_param(Param::depthwise_conv2d_native_activation_type)});
  row.operation_check = require_rank_4_operands;
  return row;
}

Status require_rank_5_weight(const NodeView& node) { return require_rank(node, 1, 5, 5); }

Result<Shapes> conv3d_shape(const NodeView& node) {
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(require_rank(node, i, 5, 5));
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, spatial_axes(node));
  const size_t channel = channel_axis(node);
  NNRT_TRY(check_channels(node, node.shape(0)[channel], node.attrs().integer(Attr::group)));
  Shape output = node.shape(0);
  for (const SpatialAxis& axis : axes) output[axis.dimension] = axis.out;
  output[channel] = node.shape(1)[0];
  return Shapes{output};
}

OpSchema conv3d() {
  OpSchema row = conv(
      Op::conv3d, conv3d_shape,
      {integers_param(Param::conv3d_strides, Attr::stride, {3, 3}),
       integers_param(Param::conv3d_pad, Attr::pad, {6, 6}),
       integers_param(Param::conv3d_dilation, Attr::dilation, {3, 3}),
       integer_param(Param::conv3d_group, Attr::group, 1), activation_param(Param::conv3d_activation_type)});
  row.operation_check = require_rank_5_weight;
  return row;
}

Result<Shapes> full_connection_shape(const NodeView& node) {
  NNRT_ASSIGN(const MatMul work, matmul_of(node));
  NNRT_ASSIGN(const std::optional<size_t> axis, flattened_axis(node));
  const Attrs& attrs = node.attrs();
  const bool biased = attrs.has(Attr::has_bias) && attrs.flag(Attr::has_bias);
  if (biased && node.input_count() < 3) return invalid("HAS_BIAS is true, and there is no bias.");
  if (node.input_count() == 3)
    NNRT_TRY(require_vector(node, 2, work.columns, "the number of output channels"));
  if (!axis) return Shapes{{work.rows, work.columns}};
  Shape output(node.shape(0).begin(), node.shape(0).begin() + std::ptrdiff_t(*axis));
  output.push_back(work.columns);
  return Shapes{output};
}

// The axis has no default here: it defaults to 0 only if USE_AXIS is true (see flattened_axis).
OpSchema full_connection() {
  return {.op = Op::full_connection,
          .quantized = true,
          .inputs = {quantized_input("input"),
                     {.name = "weight", .same_as = 0, .per_channel = true},
                     optional(bias_input())},
          .params = {integer_param(Param::full_connection_axis, Attr::axis),
                     activation_param(Param::full_connection_activationtype),
                     {Param::full_connection_has_bias, Attr::has_bias, DType::boolean},
                     {Param::full_connection_use_axis, Attr::use_axis, DType::boolean}},
          .outputs = {{.name = "output", .sums = true}},
          .infer = full_connection_shape};
}

Result<Shapes> matmul_shape(const NodeView& node) {
  NNRT_ASSIGN(const MatMul work, matmul_of(node));
  Shape output = work.batch;
  if (node.shape(0).size() > 1) output.push_back(work.rows);
  if (node.shape(1).size() > 1) output.push_back(work.columns);
  return Shapes{output};
}

OpSchema matmul() {
  return {.op = Op::matmul,
          .quantized = true,
          .inputs = {quantized_input("input1"), {.name = "input2", .same_as = 0}},
          .params = {flag_param(Param::matmul_transpose_a, Attr::transpose_a),
                     flag_param(Param::matmul_transpose_b, Attr::transpose_b),
                     activation_param(Param::matmul_activation_type)},
          .outputs = {{.name = "output", .sums = true}},
          .infer = matmul_shape};
}

}  // namespace

std::vector<OpSchema> gemm_conv_rows() {
  return {conv2d(), conv2d_transpose(), depthwise(), full_connection(), matmul(), lstm_row(), conv3d()};
}

}  // namespace nnrt
