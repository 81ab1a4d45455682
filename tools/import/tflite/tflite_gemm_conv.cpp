// Convolutions and matrix products.
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <array>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;
using format::Padding;

Parameter pad_mode(OH_NN_TensorType role, Padding padding) {
  return int8_parameter(role, padding == Padding::SAME ? 0 : 1);
}

// Zeros if the operator has no bias: OH_NN's convolutions require one.
Result<TensorId> bias_of(Operator& op, size_t bias, int32_t channels, TensorId weight, size_t input = 0) {
  if (op.has(bias)) return op.bias(bias, input);
  NetworkBuilder& build = op.build();
  NNRT_ASSIGN(const TensorId zeros, build.filled({channels}, 0));
  if (!is_quantized(build.tensor(weight))) return zeros;
  const ByteView bits = *build.tensor(zeros).data;  // 0 has the same bits
  return build.constant(OH_NN_INT32, {channels}, Bytes(bits.begin(), bits.end()));
}

Status conv_2d(Operator& op) {
  const auto& options = op.options<format::Conv2DOptions>();
  NNRT_ASSIGN(const TensorId x, op.operand(0));
  NNRT_ASSIGN(const TensorId weight, op.operand(1, 0));
  const Shape input = op.build().tensor(x).shape, filter = op.build().tensor(weight).shape;
  if (input.size() != 4 || filter.size() != 4) return op.damaged("needs an image and filters of rank 4");
  NNRT_ASSIGN(const TensorId bias, bias_of(op, 2, filter[0], weight));
  const int64_t groups = input[3] > 0 && filter[3] > 0 ? input[3] / filter[3] : 1;
  return op.emit_activated(
      {x, weight, bias},
      {int64s_parameter(OH_NN_CONV2D_STRIDES, {options.stride_h(), options.stride_w()}),
       int64s_parameter(OH_NN_CONV2D_DILATION, {options.dilation_h(), options.dilation_w()}),
       int64_parameter(OH_NN_CONV2D_GROUP, groups), pad_mode(OH_NN_CONV2D_PAD_MODE, options.padding())},
      OH_NN_CONV2D_ACTIVATION_TYPE, options.activation());
}

// Filters: [1, height, width, channels] in the file, [channels, height, width, 1] in OH_NN.
Status depthwise_conv_2d(Operator& op) {
  const auto& options = op.options<format::DepthwiseConv2DOptions>();
  NNRT_ASSIGN(const TensorId x, op.operand(0));
  NNRT_ASSIGN(const TensorId filters, op.operand(1, 3));
  NNRT_ASSIGN(const TensorId weight, op.build().transposed(filters, {3, 1, 2, 0}));
  NNRT_ASSIGN(const TensorId bias, bias_of(op, 2, op.build().tensor(weight).shape[0], weight));
  return op.emit_activated(
      {x, weight, bias},
      {int64s_parameter(OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES, {options.stride_h(), options.stride_w()}),
       int64s_parameter(OH_NN_DEPTHWISE_CONV2D_NATIVE_DILATION, {options.dilation_h(), options.dilation_w()}),
       pad_mode(OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD_MODE, options.padding())},
      OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE, options.activation());
}

// Padding of a dimension: [before, after].
Result<std::array<int64_t, 2>> pads(const Operator& op, Padding padding, int64_t in, int64_t reach,
                                    int64_t stride) {
  if (stride < 1) return op.damaged("has a stride below 1");
  if (padding == Padding::VALID) return std::array<int64_t, 2>{};
  if (in < 1 && stride != 1) return op.refuse("needs a known input size for its padding");
  const int64_t last = in < 1 ? 0 : (in - 1) / stride * stride;  // start of the last window, without padding
  const int64_t total = std::max<int64_t>(last + reach - std::max<int64_t>(in, 1), 0);
  return std::array<int64_t, 2>{total / 2, total - total / 2};
}

// Filters: [depth, height, width, channels, filters] in the file; in OH_NN the filters come first.
Status conv_3d(Operator& op) {
  const auto& options = op.options<format::Conv3DOptions>();
  NNRT_ASSIGN(const TensorId x, op.operand(0));
  NNRT_ASSIGN(const TensorId filters, op.operand(1));
  const Shape input = op.build().tensor(x).shape, filter = op.build().tensor(filters).shape;
  if (input.size() != 5 || filter.size() != 5) return op.damaged("needs an input and filters of rank 5");
  NNRT_ASSIGN(const TensorId weight, op.build().transposed(filters, {4, 0, 1, 2, 3}));
  NNRT_ASSIGN(const TensorId bias, bias_of(op, 2, filter[4], weight));
  const int64_t strides[] = {options.stride_d(), options.stride_h(), options.stride_w()};
  const int64_t dilation[] = {options.dilation_d(), options.dilation_h(), options.dilation_w()};
  List<int64_t> all_pads;
  for (size_t d = 0; d < 3; ++d) {
    const int64_t reach = (filter[d] - int64_t{1}) * dilation[d] + 1;
    NNRT_ASSIGN(const auto own, pads(op, options.padding(), input[d + 1], reach, strides[d]));
    all_pads.insert(all_pads.end(), own.begin(), own.end());
  }
  const int64_t groups = input[4] > 0 && filter[3] > 0 ? input[4] / filter[3] : 1;
  return op.emit_activated({x, weight, bias},
                           {int64s_parameter(extension(OH_NN_CONV3D_STRIDES), strides),
                            int64s_parameter(extension(OH_NN_CONV3D_PAD), all_pads),
                            int64s_parameter(extension(OH_NN_CONV3D_DILATION), dilation),
                            int64_parameter(extension(OH_NN_CONV3D_GROUP), groups)},
                           extension(OH_NN_CONV3D_ACTIVATION_TYPE), options.activation());
}

// The output shape: the operand if that is a constant, else the shape in the file. Empty if it is known only
// at run time.
Result<List<int64_t>> result_size(Operator& op) {
  const Shape declared = op.output_tensor().shape;
  const bool is_known = declared.size() == 4 && declared[1] > 0 && declared[2] > 0;
  if (op.build().is_constant(op.input(0))) return op.integers(0, 4);
  return is_known ? List<int64_t>(declared.begin(), declared.end()) : List<int64_t>();
}

// Of height and width.
struct TransposedExtent {
  int64_t before[2], after[2], missing[2];
  int32_t full[2];  // without padding
};

// Crops what exceeds the output size at both ends. Without a size it crops nothing, and pads the result to
// the largest size that the padding mode allows.
TransposedExtent transposed_extent(const format::TransposeConvOptions& options, const Shape& input,
                                   const Shape& filter, std::span<const int64_t> size) {
  const int64_t strides[] = {options.stride_h(), options.stride_w()};
  TransposedExtent extent{};
  for (size_t d = 0; d < 2; ++d) {
    const int64_t full = (input[d + 1] - int64_t{1}) * strides[d] + filter[d + 1];
    const int64_t reached = options.padding() == Padding::SAME ? filter[d + 1] : 1;
    const int64_t wanted = size.empty() ? full + std::max<int64_t>(strides[d] - reached, 0) : size[d + 1];
    const int64_t excess = std::max<int64_t>(full - wanted, 0);
    extent.full[d] = static_cast<int32_t>(full);
    extent.before[d] = excess / 2;
    extent.after[d] = excess - extent.before[d];
    extent.missing[d] = std::max<int64_t>(wanted - full, 0);
  }
  return extent;
}

// Crops `image` to the size in input 0, at both ends like transposed_extent().
void crop(Operator& op, TensorId image, std::span<const int32_t, 2> full, TensorId target) {
  NetworkBuilder& build = op.build();
  const TensorId size = op.input(0);
  const OH_NN_DataType type = build.tensor(size).type;
  const auto pair = [&](OH_NN_OperationType operation, TensorId a, TensorId b) {
    return build.derive(operation, {a, b}, type, {2});
  };
  const auto one = build.vector<int32_t>({1}), two = build.vector<int32_t>({2}),
             zero = build.vector<int32_t>({0});
  const TensorId wanted = build.derive(OH_NN_OPS_SLICE, {size, one, two}, type, {2});
  const TensorId excess = pair(OH_NN_OPS_SUB, build.vector<int32_t>({full[0], full[1]}), wanted);
  const TensorId before = pair(OH_NN_OPS_DIV, pair(OH_NN_OPS_MAXIMUM, excess, zero), two);
  const TensorId begin = build.derive(OH_NN_OPS_CONCAT, {zero, before, zero}, type, {4});
  build.operation(OH_NN_OPS_SLICE, {image, begin, size}, {target});
}

Status transpose_conv(Operator& op) {
  const auto& options = op.options<format::TransposeConvOptions>();
  NNRT_ASSIGN(const List<int64_t> size, result_size(op));
  NNRT_ASSIGN(const TensorId weight, op.operand(1, 0));
  NNRT_ASSIGN(const TensorId x, op.operand(2));
  const Shape input = op.build().tensor(x).shape, filter = op.build().tensor(weight).shape;
  if (input.size() != 4 || filter.size() != 4) return op.damaged("needs an image and filters of rank 4");
  NNRT_ASSIGN(const TensorId bias, bias_of(op, 3, filter[0], weight, 2));
  if (input[1] < 1 || input[2] < 1) return op.refuse("needs a known height and width of its input");
  const TransposedExtent extent = transposed_extent(options, input, filter, size);
  const TensorId target = op.result();
  TensorId image = target;
  if (size.empty()) {
    image = op.build().temporary_like(target);
    const auto length = [&](size_t d) { return static_cast<int32_t>(extent.full[d] + extent.missing[d]); };
    op.build().tensor(image).shape = {input[0], length(0), length(1), filter[0]};
  }
  NNRT_TRY(op.emit_activated(
      {x, weight, bias},
      {int64s_parameter(OH_NN_CONV2D_TRANSPOSE_STRIDES, {options.stride_h(), options.stride_w()}),
       int64s_parameter(OH_NN_CONV2D_TRANSPOSE_PAD,
                        {extent.before[0], extent.after[0], extent.before[1], extent.after[1]}),
       int64s_parameter(OH_NN_CONV2D_TRANSPOSE_OUTPUT_PADDINGS, extent.missing)},
      OH_NN_CONV2D_TRANSPOSE_ACTIVATION_TYPE, options.activation(), image));
  if (size.empty()) crop(op, image, extent.full, target);
  return {};
}

Status fully_connected(Operator& op) {
  const auto& options = op.options<format::FullyConnectedOptions>();
  if (options.weights_format() != 0) return op.refuse("has weights in an unusual order");
  NNRT_ASSIGN(const TensorId x, op.operand(0));
  NNRT_ASSIGN(const TensorId weight, op.operand(1, 0));
  List<TensorId> operands{x, weight};
  if (op.has(2)) {
    NNRT_ASSIGN(const TensorId bias, op.bias(2, 0));
    operands.push_back(bias);
  }
  std::vector<Parameter> parameters;
  if (options.keep_num_dims()) parameters.push_back(int64_parameter(OH_NN_FULL_CONNECTION_AXIS, -1));
  return op.emit_activated(std::move(operands), std::move(parameters), OH_NN_FULL_CONNECTION_ACTIVATIONTYPE,
                           options.activation());
}

Status batch_matmul(Operator& op) {
  const auto& options = op.options<format::BatchMatMulOptions>();
  NNRT_ASSIGN(List<TensorId> operands, op.operands());
  op.emit(std::move(operands), {bool_parameter(OH_NN_MATMUL_TRANSPOSE_A, options.adj_x()),
                                bool_parameter(OH_NN_MATMUL_TRANSPOSE_B, options.adj_y())});
  return {};
}

constexpr Row kGemmConvRows[] = {
    {CONV_2D, 2, 3, Numbers::quantized, conv_2d, OH_NN_OPS_CONV2D},
    {CONV_3D, 2, 3, Numbers::real, conv_3d, static_cast<OH_NN_OperationType>(OH_NN_OPS_CONV3D)},
    {DEPTHWISE_CONV_2D, 2, 3, Numbers::quantized, depthwise_conv_2d, OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE},
    {TRANSPOSE_CONV, 3, 4, Numbers::quantized, transpose_conv, OH_NN_OPS_CONV2D_TRANSPOSE},
    {FULLY_CONNECTED, 2, 3, Numbers::quantized, fully_connected, OH_NN_OPS_FULL_CONNECTION},
    {BATCH_MATMUL, 2, 2, Numbers::quantized, batch_matmul, OH_NN_OPS_MATMUL},
};

}  // namespace

std::span<const Row> gemm_conv_rows() { return kGemmConvRows; }

}  // namespace nnrt::import::tflite
