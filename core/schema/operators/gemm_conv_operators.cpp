// Products and sums: convolution, fully connected, matrix product.
#include "core/schema/geometry.h"
#include "core/schema/operators/lstm_operator.h"
#include "core/schema/rules.h"
#include "core/schema/spatial_axes.h"

namespace nnrt {
namespace {

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
