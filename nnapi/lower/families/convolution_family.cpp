// Convolutions, pools and matrix products.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/core_type.h"

#include <android/NeuralNetworks.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace nnrt::nnapi {
namespace {

struct Padding {
  int64_t before = 0, after = 0;
};

struct SpatialKernel {
  std::array<int64_t, 2> size{1, 1}, stride{1, 1}, dilation{1, 1};  // height, width
  std::array<Padding, 2> padding{};
  bool same = false;  // the core's mode SAME instead

  // The core's parameters: strides, and padding at top, bottom, left, right.
  Settings settings() const;
};

Settings SpatialKernel::settings() const {
  const AttrSetting strides(Attr::stride, stride);
  if (same) return {strides, {Attr::pad_mode, 0}};
  return {strides, {Attr::pad, {padding[0].before, padding[0].after, padding[1].before, padding[1].after}}};
}

// Reads a code, SAME or VALID, from input i.
void read_padding_code(Lowering& op, SpatialKernel& kernel, size_t i) {
  const int64_t code = op.integer(i);
  kernel.same = code == ANEURALNETWORKS_PADDING_SAME;
  if (!kernel.same && code != ANEURALNETWORKS_PADDING_VALID)
    op.fail(invalid("The padding code (", code, ") is neither 1 nor 2."));
}

// Reads left, right, top and bottom from input `first` on.
void read_padding(Lowering& op, SpatialKernel& kernel, size_t first) {
  kernel.padding[1] = {op.integer(first), op.integer(first + 1)};
  kernel.padding[0] = {op.integer(first + 2), op.integer(first + 3)};
}

// Reads the stride of the width, then that of the height.
void read_strides(Lowering& op, SpatialKernel& kernel, size_t first) {
  kernel.stride = {op.integer(first + 1), op.integer(first)};
  for (const int64_t stride : kernel.stride) {
    if (stride < 1) op.fail(invalid("A stride (", stride, ") is below 1."));
  }
}

struct ConvForm {
  SpatialKernel kernel;
  size_t next = 0;  // the first input after the strides
};

// Reads padding and strides from input 3 on. `is_explicit`: four padding values instead of a code.
ConvForm read_kernel(Lowering& op, bool is_explicit) {
  ConvForm form;
  const size_t strides = is_explicit ? 7 : 4;
  read_strides(op, form.kernel, strides);
  if (is_explicit) {
    read_padding(op, form.kernel, 3);
  } else {
    read_padding_code(op, form.kernel, 3);
  }
  form.next = strides + 2;
  return form;
}

void read_dilation(Lowering& op, SpatialKernel& kernel, size_t first) {
  kernel.dilation = {op.integer(first + 1, 1), op.integer(first, 1)};
  for (const int64_t dilation : kernel.dilation) {
    if (dilation < 1) op.fail(invalid("A dilation (", dilation, ") is below 1."));
  }
}

// The scale of a quantized bias must be the product of the data and filter scales. Another declared scale
// would give wrong sums; with per-channel filter scales none is declared.
void check_bias(Lowering& op) {
  constexpr float kRounding = 1e-4f;
  const OperandType& bias = op.operand(2).type;
  if (bias.code != ANEURALNETWORKS_TENSOR_INT32 || bias.scale == 0 || op.operand(1).channel_quant) return;
  const float product = op.operand(0).type.scale * op.operand(1).type.scale;
  if (std::abs(bias.scale - product) > kRounding * product)
    op.fail(invalid("The scale of the bias (", bias.scale, ") is not ", product,
                    ", the product of the scales of input and filter."));
}

// Common end of all convolutions.
void set_conv(Lowering& op, Op core, const std::vector<Value>& inputs, Settings settings, int64_t fuse_code,
              bool is_nchw) {
  check_bias(op);
  const FusedActivation fused = fused_activation(op, fuse_code);
  settings.push_back({Attr::activation, fused.activation});
  const Value result = op.graph.emit(core, inputs, settings, op.result_type());
  op.set(0, from_nhwc(op.graph, apply_activation(op, result, fused), is_nchw));
}

void add_dilation(Settings& settings, const SpatialKernel& kernel) {
  settings.push_back({Attr::dilation, kernel.dilation});
}

// The implicit form may be as long as the explicit one; it then has the layout flag where the other has a
// stride.
void lower_conv(Lowering& op) {
  const bool is_explicit = op.input_count() >= 10 && op.code(7) == ANEURALNETWORKS_INT32;
  ConvForm form = read_kernel(op, is_explicit);
  const bool is_nchw = op.flag(form.next + 1);
  const Value data = to_nhwc(op.graph, op.in(0), is_nchw);
  read_dilation(op, form.kernel, form.next + 2);
  Settings settings = form.kernel.settings();
  add_dilation(settings, form.kernel);
  set_conv(op, Op::conv2d, {data, op.in(1), op.in(2)}, std::move(settings), op.integer(form.next), is_nchw);
}

void lower_grouped_conv(Lowering& op) {
  const bool is_explicit = op.input_count() == 12;
  ConvForm form = read_kernel(op, is_explicit);
  const bool is_nchw = op.flag(form.next + 2);
  const Value data = to_nhwc(op.graph, op.in(0), is_nchw);
  Settings settings = form.kernel.settings();
  settings.push_back({Attr::group, op.integer(form.next)});
  set_conv(op, Op::conv2d, {data, op.in(1), op.in(2)}, std::move(settings), op.integer(form.next + 1),
           is_nchw);
}

// Converts weights [1, height, width, channels] to the core's [channels, height, width, 1] as plain integers;
// the per-channel scales follow.
Value depthwise_weight(Lowering& op) {
  const Value weight = op.in(1);
  GraphWriter& graph = op.graph;
  const int64_t cells = weight.dim(1) * weight.dim(2), channels = weight.dim(3);
  const Shape shape{channels, weight.dim(1), weight.dim(2), 1};
  const ResultType plain{weight.dtype};
  const bool is_quantized = weight.is_quantized();
  const Value type = graph.number(DType::i32, double(weight.dtype));
  Value bytes = is_quantized ? graph.emit(Op::cast, {weight, type}, {}, plain) : weight;
  bytes = transpose(graph, reshape(graph, bytes, {cells, channels}), {1, 0});
  bytes = reshape(graph, bytes, shape);
  return is_quantized ? graph.emit(Op::cast, {bytes, type}, {}, type_of(weight)) : bytes;
}

void lower_depthwise_conv(Lowering& op) {
  const bool is_explicit = op.input_count() >= 11 && op.code(8) == ANEURALNETWORKS_INT32;
  ConvForm form = read_kernel(op, is_explicit);
  const bool is_nchw = op.flag(form.next + 2);
  const Value data = to_nhwc(op.graph, op.in(0), is_nchw);
  const int64_t multiplier = op.integer(form.next);
  if (multiplier < 1 || data.dim(3) * multiplier != op.in(1).dim(3))
    return op.fail(invalid("The filter's channels (", op.in(1).dim(3), ") are not ", multiplier, " times ",
                           data.dim(3), "."));
  read_dilation(op, form.kernel, form.next + 3);
  Settings settings = form.kernel.settings();
  add_dilation(settings, form.kernel);
  set_conv(op, Op::depthwise_conv2d_native, {data, depthwise_weight(op), op.in(2)}, std::move(settings),
           op.integer(form.next + 1), is_nchw);
}

// For a given output size: SAME padding at both ends, and unreached positions at the end.
void fit_output(Lowering& op, SpatialKernel& kernel, int64_t code, const Value& data,
                std::array<int64_t, 2> out, std::vector<int64_t>& added) {
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t full = kernel.stride[axis] * (data.dim(axis + 1) - 1) + kernel.size[axis];
    const int64_t total = std::max<int64_t>(full - out[axis], 0);
    const int64_t head = code == ANEURALNETWORKS_PADDING_SAME ? total / 2 : 0;
    kernel.padding[axis] = {head, total - head};
    added[axis] = std::max<int64_t>(out[axis] - full, 0);
    if (added[axis] >= kernel.stride[axis] && added[axis] > 0)
      op.fail(unsupported("The output (", out[axis], ") exceeds what the input reaches by ", added[axis],
                          ", which is not below the stride (", kernel.stride[axis], ")."));
  }
}

void lower_transpose_conv(Lowering& op) {
  const bool is_explicit = op.input_count() == 11;
  SpatialKernel kernel;
  const Value filter = op.in(1);
  kernel.size = {filter.dim(1), filter.dim(2)};
  const size_t strides = is_explicit ? 7 : 5;
  read_strides(op, kernel, strides);
  const bool is_nchw = op.flag(strides + 3);
  const Value data = to_nhwc(op.graph, op.in(0), is_nchw);
  std::vector<int64_t> added{0, 0};
  if (is_explicit) {
    read_padding(op, kernel, 3);
  } else {
    const std::vector<int64_t> shape = op.integers(3);
    if (shape.size() != 4) return op.fail(invalid("The output shape has ", shape.size(), " elements."));
    const int64_t code = op.integer(4);
    if (code != ANEURALNETWORKS_PADDING_SAME && code != ANEURALNETWORKS_PADDING_VALID)
      return op.fail(invalid("The padding code (", code, ") is neither 1 nor 2."));
    const size_t height = is_nchw ? 2 : 1;
    fit_output(op, kernel, code, data, {shape[height], shape[height + 1]}, added);
  }
  Settings settings = kernel.settings();
  settings.push_back({Attr::output_padding, added});
  set_conv(op, Op::conv2d_transpose, {data, filter, op.in(2)}, std::move(settings), op.integer(strides + 2),
           is_nchw);
}

struct Pool {
  Value data;  // NHWC
  Settings settings;
  int64_t fuse_code = 0;
  bool is_nchw = false;
};

// Reads padding (four values or a code), strides, kernel size, fuse code, and optionally the layout.
Pool read_pool(Lowering& op) {
  const bool is_explicit = op.input_count() >= 10;
  const size_t strides = is_explicit ? 5 : 2;
  SpatialKernel kernel;
  read_strides(op, kernel, strides);
  kernel.size = {op.integer(strides + 3), op.integer(strides + 2)};
  Pool pool;
  pool.fuse_code = op.integer(strides + 4);
  pool.is_nchw = op.flag(strides + 5);
  pool.data = to_nhwc(op.graph, op.in(0), pool.is_nchw);
  if (is_explicit) {
    read_padding(op, kernel, 1);
  } else {
    read_padding_code(op, kernel, 1);
  }
  pool.settings = kernel.settings();
  pool.settings.push_back({Attr::kernel, std::vector{kernel.size[0], kernel.size[1]}});
  return pool;
}

template <Op core>
void lower_pool(Lowering& op) {
  Pool pool = read_pool(op);
  const FusedActivation fused = fused_activation(op, pool.fuse_code);
  pool.settings.push_back({Attr::activation, fused.activation});
  const Value result = op.graph.emit(core, {pool.data}, pool.settings, op.result_type());
  op.set(0, from_nhwc(op.graph, apply_activation(op, result, fused), pool.is_nchw));
}

// In float32: squares may overflow float16.
void lower_l2_pool(Lowering& op) {
  GraphWriter& graph = op.graph;
  Pool pool = read_pool(op);
  const Value data = cast(graph, pool.data, DType::f32);
  const Value means = graph.emit(Op::avg_pool, {graph.emit(Op::square, {data})}, pool.settings);
  const Value roots = with_activation(op, graph.emit(Op::sqrt, {means}), pool.fuse_code);
  op.set(0, from_nhwc(graph, cast(graph, roots, pool.data.dtype), pool.is_nchw));
}

void lower_fully_connected(Lowering& op) {
  GraphWriter& graph = op.graph;
  Value data = op.in(0);
  const Value weight = op.in(1);
  const int64_t length = std::max<int64_t>(weight.dim(1), 1);
  const int64_t count = element_count(data.shape).value_or(0);
  if (count % length != 0)
    return op.fail(invalid("The input's elements (", count, ") do not divide into rows of ", length, "."));
  check_bias(op);
  if (data.rank() != 2 || data.dim(1) != length) data = reshape(graph, data, {count / length, length});
  const FusedActivation fused = fused_activation(op, op.integer(3));
  const Value result = graph.emit(Op::full_connection, {data, weight, op.in(2)},
                                  {{Attr::activation, fused.activation}}, op.result_type());
  op.set(0, apply_activation(op, result, fused));
}

void lower_batch_matmul(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Settings settings{{Attr::transpose_a, op.integer(2)}, {Attr::transpose_b, op.integer(3)}};
  const Value a = op.in(0), b = op.in(1);
  if (a.dtype != DType::i32) return op.set(0, graph.emit(Op::matmul, {a, b}, settings, op.result_type()));
  // Integers: elementwise products of rows and columns, then sums, modulo 2^32.
  const auto swapped = [&](const Value& value, bool is_swapped) {
    std::vector<int64_t> perm(value.rank());
    for (size_t i = 0; i < perm.size(); ++i) perm[i] = int64_t(i);
    if (perm.size() >= 2 && is_swapped) std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return is_swapped ? transpose(graph, value, perm) : value;
  };
  const Value left = swapped(a, op.flag(2)), right = swapped(b, !op.flag(3));
  Shape rows = left.shape, columns = right.shape;
  if (rows.size() < 2 || columns.size() < 2) return op.fail(invalid("The rank of a matrix is below 2."));
  rows.insert(rows.end() - 1, 1);
  columns.insert(columns.end() - 2, 1);
  const Value products = mul(graph, reshape(graph, left, rows), reshape(graph, right, columns));
  op.set(0, graph.emit(Op::reduce_sum, {products, graph.integers({int64_t(products.rank()) - 1})}));
}

constexpr LoweringRow kConvLowerings[] = {
    {ANEURALNETWORKS_CONV_2D, lower_conv},
    {ANEURALNETWORKS_DEPTHWISE_CONV_2D, lower_depthwise_conv},
    {ANEURALNETWORKS_GROUPED_CONV_2D, lower_grouped_conv},
    {ANEURALNETWORKS_TRANSPOSE_CONV_2D, lower_transpose_conv},
    {ANEURALNETWORKS_AVERAGE_POOL_2D, lower_pool<Op::avg_pool>},
    {ANEURALNETWORKS_MAX_POOL_2D, lower_pool<Op::max_pool>},
    {ANEURALNETWORKS_L2_POOL_2D, lower_l2_pool},
    {ANEURALNETWORKS_FULLY_CONNECTED, lower_fully_connected},
    {ANEURALNETWORKS_BATCH_MATMUL, lower_batch_matmul},
};

}  // namespace

std::span<const LoweringRow> conv_lowerings() { return kConvLowerings; }

}  // namespace nnrt::nnapi
