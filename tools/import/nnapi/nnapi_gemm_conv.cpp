// Convolutions, matrix products, pools and other window operators.
#include "tools/import/nnapi/nnapi_operation.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import {
namespace {

using Operands = std::vector<OperandId>;

// A pair of sizes or steps (height, width); defaults to 1.
struct Plane {
  int32_t height = 1, width = 1;
};

Plane plane_of(const NnapiOperation& op, OH_NN_TensorType role) {
  const std::vector<int64_t> values = op.numbers(role);
  if (values.size() != 2) return {};
  return {static_cast<int32_t>(values[0]), static_cast<int32_t>(values[1])};
}

void append(NnapiOperation& op, Operands& operands, Plane plane) {
  operands.insert(operands.end(), {op.writer.scalar(plane.width), op.writer.scalar(plane.height)});
}

// A PaddingCode, or explicit pads: NNAPI's order is left, right, top, bottom; OH_NN's is top, bottom, left,
// right.
void append_padding(NnapiOperation& op, Operands& operands, OH_NN_TensorType mode, OH_NN_TensorType list) {
  const int64_t code = op.number(mode, -1);
  if (code >= 0) {
    operands.push_back(
        op.writer.scalar(code == 0 ? ANEURALNETWORKS_PADDING_SAME : ANEURALNETWORKS_PADDING_VALID));
    return;
  }
  std::vector<int64_t> pad = op.numbers(list);
  pad.resize(4);
  for (const size_t i : {2, 3, 0, 1}) operands.push_back(op.writer.scalar(static_cast<int32_t>(pad[i])));
}

// Quantized operators have a separate bias scale in NNAPI. A missing bias becomes zeros.
Result<OperandId> bias_of(NnapiOperation& op, int32_t channels) {
  const Tensor &x = op.input_tensor(0), &weight = op.input_tensor(1);
  const bool is_quantized = x.type == OH_NN_INT8;
  if (channels < 1) return op.refuse("has an unknown number of channels");
  if (op.has(2) && !is_quantized) return op.input(2);
  if (op.has(2) && !op.input_tensor(2).data) return op.refuse("has a bias that is not constant");
  Tensor zeros;
  zeros.type = x.type;
  zeros.shape = {channels};
  zeros.data =
      std::make_shared<const Bytes>(static_cast<size_t>(channels) * (x.type == OH_NN_FLOAT16 ? 2 : 4));
  if (!is_quantized) return op.writer.constant(zeros);
  const ByteView values = op.has(2) ? *op.input_tensor(2).data : *zeros.data;
  const auto &input = x.quantization.scales, &factor = weight.quantization.scales;
  if (input.empty() || factor.empty()) return op.refuse("lacks scales");
  const double scale = factor.size() > 1 ? 0 : input[0] * factor[0];
  return op.writer.bias(values, channels, static_cast<float>(scale));
}

Status conv_2d(NnapiOperation& op) {
  const Shape& filter = op.input_tensor(1).shape;
  if (filter.size() != 4) return op.refuse("has filters of unknown shape");
  NNRT_ASSIGN(const OperandId bias, bias_of(op, filter[0]));
  Operands operands{op.input(0), op.input(1), bias};
  append_padding(op, operands, OH_NN_CONV2D_PAD_MODE, OH_NN_CONV2D_PAD);
  append(op, operands, plane_of(op, OH_NN_CONV2D_STRIDES));
  const Plane dilation = plane_of(op, OH_NN_CONV2D_DILATION);
  const auto groups = static_cast<int32_t>(op.number(OH_NN_CONV2D_GROUP, 1));
  if (groups == 1) {
    operands.insert(operands.end(), {op.fuse(OH_NN_CONV2D_ACTIVATION_TYPE), op.writer.flag(false)});
    append(op, operands, dilation);
    return op.emit(operands);
  }
  if (dilation.height != 1 || dilation.width != 1) return op.refuse("has groups and a dilation");
  operands.insert(operands.end(),
                  {op.writer.scalar(groups), op.fuse(OH_NN_CONV2D_ACTIVATION_TYPE), op.writer.flag(false)});
  const OperandId result = op.output();
  op.writer.add(ANEURALNETWORKS_GROUPED_CONV_2D, operands, std::span(&result, 1));
  return {};
}

// A constant of rows and columns with these exchanged.
SharedBytes exchanged(ByteView data, size_t rows, size_t columns) {
  const size_t count = rows * columns, size = count == 0 ? 0 : data.size() / count;
  Bytes moved(data.size());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c)
      std::memcpy(&moved[(c * rows + r) * size], &data[(r * columns + c) * size], size);
  }
  return std::make_shared<const Bytes>(std::move(moved));
}

// Filters are [channels, height, width, 1] in OH_NN and [1, height, width, channels] in NNAPI.
Result<OperandId> depthwise_filters(NnapiOperation& op) {
  Tensor weight = op.input_tensor(1);
  if (!weight.data || weight.shape.size() != 4) return op.refuse("has filters that are not constant");
  const auto channels = static_cast<size_t>(weight.shape[0]);
  if (channels == 0) return op.refuse("has no filters");
  const size_t count = weight.type == OH_NN_INT8
                           ? weight.data->size()
                           : weight.data->size() / (weight.type == OH_NN_FLOAT16 ? 2 : 4);
  weight.data = exchanged(*weight.data, channels, count / channels);
  weight.shape = {1, weight.shape[1], weight.shape[2], weight.shape[0]};
  return op.writer.constant(weight, 3);
}

Status depthwise_conv_2d(NnapiOperation& op) {
  NNRT_ASSIGN(const OperandId filters, depthwise_filters(op));
  const int32_t channels = op.input_tensor(1).shape[0];
  const Shape& input = op.input_tensor(0).shape;
  if (input.size() != 4 || input[3] < 1) return op.refuse("has an unknown number of channels");
  NNRT_ASSIGN(const OperandId bias, bias_of(op, channels));
  Operands operands{op.input(0), filters, bias};
  append_padding(op, operands, OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD_MODE, OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD);
  append(op, operands, plane_of(op, OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES));
  operands.insert(operands.end(),
                  {op.writer.scalar(channels / input[3]),
                   op.fuse(OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE), op.writer.flag(false)});
  append(op, operands, plane_of(op, OH_NN_DEPTHWISE_CONV2D_NATIVE_DILATION));
  return op.emit(operands);
}

Status transpose_conv_2d(NnapiOperation& op) {
  const Shape& filter = op.input_tensor(1).shape;
  if (filter.size() != 4) return op.refuse("has filters of unknown shape");
  if (op.number(OH_NN_CONV2D_TRANSPOSE_GROUP, 1) != 1) return op.refuse("has groups");
  const Plane dilation = plane_of(op, OH_NN_CONV2D_TRANSPOSE_DILATION);
  if (dilation.height != 1 || dilation.width != 1) return op.refuse("has a dilation");
  for (const int64_t size : op.numbers(OH_NN_CONV2D_TRANSPOSE_OUTPUT_PADDINGS))
    if (size != 0) return op.refuse("pads its output");
  if (op.number(OH_NN_CONV2D_TRANSPOSE_PAD_MODE, -1) >= 0) return op.refuse("has a mode of padding");
  NNRT_ASSIGN(const OperandId bias, bias_of(op, filter[0]));
  Operands operands{op.input(0), op.input(1), bias};
  append_padding(op, operands, OH_NN_CONV2D_TRANSPOSE_PAD_MODE, OH_NN_CONV2D_TRANSPOSE_PAD);
  append(op, operands, plane_of(op, OH_NN_CONV2D_TRANSPOSE_STRIDES));
  operands.insert(operands.end(), {op.fuse(OH_NN_CONV2D_TRANSPOSE_ACTIVATION_TYPE), op.writer.flag(false)});
  return op.emit(operands);
}

// NNAPI's result is a matrix; reshape it if OH_NN's keeps dimensions.
Status fully_connected(NnapiOperation& op) {
  const Shape& weight = op.input_tensor(1).shape;
  if (weight.size() != 2) return op.refuse("has weights of unknown shape");
  if (op.number(OH_NN_FULL_CONNECTION_HAS_BIAS, op.has(2)) != (op.has(2) ? 1 : 0))
    return op.refuse("ignores its bias");
  if (op.input_tensor(1).quantization.scales.size() > 1) return op.refuse("has a scale for each channel");
  NNRT_ASSIGN(const OperandId bias, bias_of(op, weight[0]));
  const OperandId activation = op.fuse(OH_NN_FULL_CONNECTION_ACTIVATIONTYPE);
  const Shape& shape = op.output_tensor().shape;
  if (shape.size() == 2) return op.emit({op.input(0), op.input(1), bias, activation});
  if (shape.empty() || std::ranges::count(shape, -1) > 1) return op.refuse("has a result of unknown shape");
  Tensor matrix = op.output_tensor();
  matrix.shape = {-1, weight[0]};
  const OperandId rows = op.writer.temporary(matrix), result = op.output();
  op.writer.add(ANEURALNETWORKS_FULLY_CONNECTED, {op.input(0), op.input(1), bias, activation}, {rows});
  op.writer.add(ANEURALNETWORKS_RESHAPE, {rows, op.writer.vector(shape)}, {result});
  return {};
}

// A float matrix times a constant one.
bool is_connection(const NnapiOperation& op) {
  const Tensor &x = op.input_tensor(0), &matrix = op.input_tensor(1);
  const bool is_float = x.type == OH_NN_FLOAT32 || x.type == OH_NN_FLOAT16;
  return is_float && matrix.type == x.type && x.shape.size() == 2 && matrix.data && matrix.shape.size() == 2;
}

Status batch_matmul(NnapiOperation& op) {
  const bool transposes_a = op.number(OH_NN_MATMUL_TRANSPOSE_A, 0) != 0,
             transposes_b = op.number(OH_NN_MATMUL_TRANSPOSE_B, 0) != 0;
  // More drivers have FULLY_CONNECTED, and it may have an activation.
  if (is_connection(op) && !transposes_a) {
    Tensor weight = op.input_tensor(1);
    if (!transposes_b) {
      weight.data = exchanged(*weight.data, size_t(weight.shape[0]), size_t(weight.shape[1]));
      std::swap(weight.shape[0], weight.shape[1]);
    }
    NNRT_ASSIGN(const OperandId bias, bias_of(op, weight.shape[0]));
    const OperandId activation = op.fuse(OH_NN_MATMUL_ACTIVATION_TYPE), result = op.output();
    op.writer.add(ANEURALNETWORKS_FULLY_CONNECTED,
                  {op.input(0), op.writer.constant(weight), bias, activation}, {result});
    return {};
  }
  if (op.number(OH_NN_MATMUL_ACTIVATION_TYPE, 0) != 0) return op.refuse("has an activation");
  return op.emit({op.input(0), op.input(1), op.writer.flag(transposes_a), op.writer.flag(transposes_b)});
}

// The parameters of both pools.
struct PoolRoles {
  OH_NN_TensorType kernel, stride, pad_mode, pad, activation, global, round_mode;
};
constexpr PoolRoles kAveragePool{
    OH_NN_AVG_POOL_KERNEL_SIZE,     OH_NN_AVG_POOL_STRIDE, OH_NN_AVG_POOL_PAD_MODE,  OH_NN_AVG_POOL_PAD,
    OH_NN_AVG_POOL_ACTIVATION_TYPE, OH_NN_AVG_POOL_GLOBAL, OH_NN_AVG_POOL_ROUND_MODE};
constexpr PoolRoles kMaxPool{
    OH_NN_MAX_POOL_KERNEL_SIZE,     OH_NN_MAX_POOL_STRIDE, OH_NN_MAX_POOL_PAD_MODE,  OH_NN_MAX_POOL_PAD,
    OH_NN_MAX_POOL_ACTIVATION_TYPE, OH_NN_MAX_POOL_GLOBAL, OH_NN_MAX_POOL_ROUND_MODE};

template <const PoolRoles& roles>
Status pool(NnapiOperation& op) {
  const Shape& input = op.input_tensor(0).shape;
  Plane kernel = plane_of(op, roles.kernel);
  Operands operands{op.input(0)};
  if (op.number(roles.global, 0) != 0) {
    if (input.size() != 4 || input[1] < 1 || input[2] < 1) return op.refuse("has images of unknown size");
    kernel = {input[1], input[2]};
    op.leave_out({roles.pad_mode, roles.pad, roles.round_mode});  // the kernel covers the entire image
    operands.push_back(op.writer.scalar(ANEURALNETWORKS_PADDING_VALID));
  } else {
    if (op.number(roles.round_mode, 0) != 0) return op.refuse("rounds its output size up");
    append_padding(op, operands, roles.pad_mode, roles.pad);
  }
  append(op, operands, plane_of(op, roles.stride));
  append(op, operands, kernel);
  operands.push_back(op.fuse(roles.activation));
  return op.emit(operands);
}

Status resize_bilinear(NnapiOperation& op) {
  const int64_t height = op.number(OH_NN_RESIZE_BILINEAR_NEW_HEIGHT, 0),
                width = op.number(OH_NN_RESIZE_BILINEAR_NEW_WIDTH, 0),
                mode = op.number(OH_NN_RESIZE_BILINEAR_COORDINATE_TRANSFORM_MODE, 0);
  if (height < 1 || width < 1) return op.refuse("has a size that is not constant");
  if (op.number(OH_NN_RESIZE_BILINEAR_PRESERVE_ASPECT_RATIO, 0) != 0)
    return op.refuse("keeps its aspect ratio");
  return op.emit({op.input(0), op.writer.scalar(static_cast<int32_t>(width)),
                  op.writer.scalar(static_cast<int32_t>(height)), op.writer.flag(false),
                  op.writer.flag(mode == 1), op.writer.flag(mode == 2)});
}

constexpr NnapiRow kNnapiGemmConvRows[] = {
    {OH_NN_OPS_CONV2D, conv_2d, ANEURALNETWORKS_CONV_2D},
    {OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE, depthwise_conv_2d, ANEURALNETWORKS_DEPTHWISE_CONV_2D},
    {OH_NN_OPS_CONV2D_TRANSPOSE, transpose_conv_2d, ANEURALNETWORKS_TRANSPOSE_CONV_2D},
    {OH_NN_OPS_FULL_CONNECTION, fully_connected, ANEURALNETWORKS_FULLY_CONNECTED},
    {OH_NN_OPS_MATMUL, batch_matmul, ANEURALNETWORKS_BATCH_MATMUL},
    {OH_NN_OPS_AVG_POOL, pool<kAveragePool>, ANEURALNETWORKS_AVERAGE_POOL_2D},
    {OH_NN_OPS_MAX_POOL, pool<kMaxPool>, ANEURALNETWORKS_MAX_POOL_2D},
    {OH_NN_OPS_RESIZE_BILINEAR, resize_bilinear, ANEURALNETWORKS_RESIZE_BILINEAR},
};

}  // namespace

std::span<const NnapiRow> nnapi_gemm_conv_rows() { return kNnapiGemmConvRows; }

}  // namespace nnrt::import
