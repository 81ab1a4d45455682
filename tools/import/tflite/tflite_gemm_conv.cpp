// Convolutions and matrix products.
#include "core/schema/geometry.h"
#include "core/schema/spatial_axes.h"
#include "tools/import/tflite/tflite_operators.h"
#include "tools/import/tflite/tflite_windows.h"

#include <algorithm>
#include <array>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;
using format::Padding;

AttrSetting pad_mode(Padding padding) { return {Attr::pad_mode, padding == Padding::SAME ? 0 : 1}; }

// Zeros if the operator has no bias: OH_NN's convolutions require one.
TensorId bias_of(Operator& op, size_t bias, int32_t channels, TensorId weight, size_t input = 0) {
  if (op.has(bias)) return op.bias(bias, input);
  NetworkBuilder& build = op.build();
  const TensorId zeros = build.filled(DType::f32, {channels}, 0);
  if (!is_quantized(build.tensor(weight))) return zeros;
  const ByteView bits = *build.tensor(zeros).data;  // 0 has the same bits
  return build.constant(OH_NN_INT32, {channels}, Bytes(bits.begin(), bits.end()));
}

void conv_2d(Operator& op) {
  const auto& options = op.options<format::Conv2DOptions>();
  const TensorId x = op.operand(0);
  const TensorId weight = op.operand(1, 0);
  const Shape input = op.build().tensor(x).shape, filter = op.build().tensor(weight).shape;
  if (input.size() != 4 || filter.size() != 4) op.damaged("needs an image and filters of rank 4");
  const TensorId bias = bias_of(op, 2, filter[0], weight);
  const int64_t groups = input[3] > 0 && filter[3] > 0 ? input[3] / filter[3] : 1;
  op.write_activated({x, weight, bias},
                     {{Attr::stride, {options.stride_h(), options.stride_w()}},
                      {Attr::dilation, {options.dilation_h(), options.dilation_w()}},
                      {Attr::group, groups},
                      pad_mode(options.padding())},
                     options.activation());
}

// Filters: [1, height, width, channels] in the file, [channels, height, width, 1] in OH_NN.
void depthwise_conv_2d(Operator& op) {
  const auto& options = op.options<format::DepthwiseConv2DOptions>();
  const TensorId x = op.operand(0);
  const TensorId weight = op.build().transposed(op.operand(1, 3), {3, 1, 2, 0});
  const TensorId bias = bias_of(op, 2, op.build().tensor(weight).shape[0], weight);
  op.write_activated({x, weight, bias},
                     {{Attr::stride, {options.stride_h(), options.stride_w()}},
                      {Attr::dilation, {options.dilation_h(), options.dilation_w()}},
                      pad_mode(options.padding())},
                     options.activation());
}

// Padding of a dimension: [before, after].
std::array<int64_t, 2> pads(const Operator& op, Padding padding, int64_t in, int64_t reach, int64_t stride) {
  if (stride < 1) op.damaged("has a stride below 1");
  if (padding == Padding::VALID) return std::array<int64_t, 2>{};
  if (in < 1 && stride != 1) op.refuse("needs a known input size for its padding");
  const int64_t last = in < 1 ? 0 : (in - 1) / stride * stride;  // start of the last window, without padding
  const int64_t total = std::max<int64_t>(last + reach - std::max<int64_t>(in, 1), 0);
  return std::array<int64_t, 2>{total / 2, total - total / 2};
}

// Filters: [depth, height, width, channels, filters] in the file; in OH_NN the filters come first.
void conv_3d(Operator& op) {
  const auto& options = op.options<format::Conv3DOptions>();
  const TensorId x = op.operand(0), filters = op.operand(1);
  const Shape input = op.build().tensor(x).shape, filter = op.build().tensor(filters).shape;
  if (input.size() != 5 || filter.size() != 5) op.damaged("needs an input and filters of rank 5");
  const TensorId weight = op.build().transposed(filters, {4, 0, 1, 2, 3});
  const TensorId bias = bias_of(op, 2, filter[4], weight);
  const int64_t strides[] = {options.stride_d(), options.stride_h(), options.stride_w()};
  const int64_t dilation[] = {options.dilation_d(), options.dilation_h(), options.dilation_w()};
  List<int64_t> all_pads;
  for (size_t d = 0; d < 3; ++d) {
    const int64_t reach = (filter[d] - int64_t{1}) * dilation[d] + 1;
    const auto own = pads(op, options.padding(), input[d + 1], reach, strides[d]);
    all_pads.insert(all_pads.end(), own.begin(), own.end());
  }
  const int64_t groups = input[4] > 0 && filter[3] > 0 ? input[4] / filter[3] : 1;
  op.write_activated(
      {x, weight, bias},
      {{Attr::stride, strides}, {Attr::pad, all_pads}, {Attr::dilation, dilation}, {Attr::group, groups}},
      options.activation());
}

// The output shape: the operand if that is a constant, else the shape in the file. Empty if it is known only
// at run time.
List<int64_t> result_size(Operator& op) {
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
  const auto one = build.vector<int32_t>({1}), two = build.vector<int32_t>({2}),
             zero = build.vector<int32_t>({0});
  const TensorId wanted = op.emit(Op::slice, {size, one, two});
  const TensorId excess = op.sub(build.vector<int32_t>({full[0], full[1]}), wanted);
  const TensorId before = op.div(op.max(excess, zero), two);
  const TensorId begin = op.concat({zero, before, zero}, 0);
  build.operation(Op::slice, {image, begin, size}, {target});
}

void transpose_conv(Operator& op) {
  const auto& options = op.options<format::TransposeConvOptions>();
  const List<int64_t> size = result_size(op);
  const TensorId weight = op.operand(1, 0), x = op.operand(2);
  const Shape input = op.build().tensor(x).shape, filter = op.build().tensor(weight).shape;
  if (input.size() != 4 || filter.size() != 4) op.damaged("needs an image and filters of rank 4");
  const TensorId bias = bias_of(op, 3, filter[0], weight, 2);
  if (input[1] < 1 || input[2] < 1) op.refuse("needs a known height and width of its input");
  const TransposedExtent extent = transposed_extent(options, input, filter, size);
  const TensorId target = op.result();
  TensorId image = target;
  if (size.empty()) {
    image = op.build().temporary_like(target);
    const auto length = [&](size_t d) { return static_cast<int32_t>(extent.full[d] + extent.missing[d]); };
    op.build().tensor(image).shape = {input[0], length(0), length(1), filter[0]};
  }
  op.write_activated({x, weight, bias},
                     {{Attr::stride, {options.stride_h(), options.stride_w()}},
                      {Attr::pad, {extent.before[0], extent.after[0], extent.before[1], extent.after[1]}},
                      {Attr::output_padding, extent.missing}},
                     options.activation(), image);
  if (size.empty()) crop(op, image, extent.full, target);
}

void fully_connected(Operator& op) {
  const auto& options = op.options<format::FullyConnectedOptions>();
  if (options.weights_format() != 0) op.refuse("has weights in an unusual order");
  const TensorId x = op.operand(0);
  const TensorId weight = op.operand(1, 0);
  List<TensorId> operands{x, weight};
  if (op.has(2)) {
    const TensorId bias = op.bias(2, 0);
    operands.push_back(bias);
  }
  Settings settings;
  if (options.keep_num_dims()) settings.push_back({Attr::axis, -1});
  op.write_activated(std::move(operands), std::move(settings), options.activation());
}

void batch_matmul(Operator& op) {
  const auto& options = op.options<format::BatchMatMulOptions>();
  List<TensorId> operands = op.operands();
  op.write(std::move(operands), {{Attr::transpose_a, options.adj_x()}, {Attr::transpose_b, options.adj_y()}});
}

// Scales of an INT32 bias are those of the products.
int32_t written_bias(NodeWriter& node, int32_t x, int32_t weight, int32_t bias) {
  if (node.tensor(weight).quantization == nullptr || node.tensor(x).quantization == nullptr) return bias;
  auto made = std::make_unique<format::QuantizationParametersT>();
  for (const float scale : node.tensor(weight).quantization->scale)
    made->scale.push_back(scale * node.tensor(x).quantization->scale[0]);
  made->zero_point.assign(made->scale.size(), 0);
  auto& given = node.tensor(bias).quantization;
  if (given && given->scale != made->scale) bias = node.copy(bias);
  node.tensor(bias).quantization = std::move(made);
  return bias;
}

// Pads the data where the options cannot.
template <typename Options>
Options conv_options(NodeWriter& node, const List<Window>& windows) {
  Options options;
  options.padding = pad_windows(node, windows, Fill::zeros);
  options.stride_h = static_cast<int32_t>(windows[0].stride);
  options.stride_w = static_cast<int32_t>(windows[1].stride);
  const List<int64_t> dilation = node.integers(Attr::dilation);
  options.dilation_h = static_cast<int32_t>(dilation[0]);
  options.dilation_w = static_cast<int32_t>(dilation[1]);
  options.activation = node.activation();
  return options;
}

void write_depthwise_conv_2d(NodeWriter& node) {
  const List<Window> windows = image_windows(node);
  const int32_t filters = node.transposed(1, {3, 1, 2, 0});
  if (const auto& coding = node.tensor(filters).quantization) coding->quantized_dimension = 3;
  const Dims input = node.input_shape(), weight = node.input_shape(1);
  if (input[3] < 1) node.refuse("an unknown number of channels");
  auto options = conv_options<format::DepthwiseConv2DOptionsT>(node, windows);
  options.depth_multiplier = static_cast<int32_t>(weight[0] / input[3]);
  const int32_t x = node.inputs[0];
  node.write(DEPTHWISE_CONV_2D, options, {x, filters, written_bias(node, x, filters, node.inputs[2])},
             node.outputs);
}

void write_conv_2d(NodeWriter& node) {
  const Dims input = node.input_shape(), weight = node.input_shape(1);
  const int64_t groups = node.integer(Attr::group);
  if (groups > 1 && weight[3] == 1 && groups == input[3]) return write_depthwise_conv_2d(node);
  const List<Window> windows = image_windows(node);
  const auto options = conv_options<format::Conv2DOptionsT>(node, windows);
  const int32_t x = node.inputs[0], filters = node.inputs[1];
  node.write(CONV_2D, options, {x, filters, written_bias(node, x, filters, node.inputs[2])}, node.outputs);
}

void write_conv_3d(NodeWriter& node) {
  for (const Attr attr : {Attr::stride, Attr::dilation, Attr::pad, Attr::group}) node.use(attr);
  const auto axes = required(spatial_axes(node.view()));
  List<Window> windows;
  for (const SpatialAxis& it : axes)
    windows.push_back({it.in, it.reach(), it.stride, it.before, it.after, it.out});
  const int32_t filters = node.transposed(1, {1, 2, 3, 4, 0});
  format::Conv3DOptionsT options;
  options.padding = pad_windows(node, windows, Fill::zeros);
  options.stride_d = static_cast<int32_t>(axes[0].stride);
  options.stride_h = static_cast<int32_t>(axes[1].stride);
  options.stride_w = static_cast<int32_t>(axes[2].stride);
  options.dilation_d = static_cast<int32_t>(axes[0].dilation);
  options.dilation_h = static_cast<int32_t>(axes[1].dilation);
  options.dilation_w = static_cast<int32_t>(axes[2].dilation);
  options.activation = node.activation();
  node.write(CONV_3D, options, {node.inputs[0], filters, node.inputs[2]}, node.outputs);
}

// VALID leaves all of the result, and padding at its end; SAME crops what exceeds the stride's multiple at
// both ends. Any other extent is cut from a VALID one.
void write_transpose_conv(NodeWriter& node) {
  for (const Attr attr : {Attr::stride, Attr::pad, Attr::pad_mode, Attr::output_padding}) node.use(attr);
  if (node.integer(Attr::group) != 1) node.refuse("several groups");
  const SpatialParams spatial = required(transposed_spatial_params(node.view()));
  Dims result = node.output_shape(), whole = result;
  bool is_valid = true, is_same = true;
  for (size_t d = 0; d < 2; ++d) {
    if (spatial.in[d] < 1 || spatial.out[d] < 1) node.refuse("an unknown height or width");
    const int64_t full = (spatial.in[d] - 1) * spatial.stride[d] + spatial.kernel[d], out = spatial.out[d];
    const int64_t excess = std::max<int64_t>(full - out, 0);
    is_valid = is_valid && spatial.before[d] == 0 && out >= full && out < full + spatial.stride[d];
    is_same = is_same && spatial.before[d] == excess / 2 &&
              (out + spatial.stride[d] - 1) / spatial.stride[d] == spatial.in[d];
    whole[d + 1] = std::max(full, spatial.before[d] + out);
    if (whole[d + 1] >= full + spatial.stride[d]) node.refuse("this padding");
  }
  format::TransposeConvOptionsT options;
  options.padding = is_same && !is_valid ? Padding::SAME : Padding::VALID;
  options.stride_h = static_cast<int32_t>(spatial.stride[0]);
  options.stride_w = static_cast<int32_t>(spatial.stride[1]);
  options.activation = node.activation();
  const bool is_cut = !is_same && !is_valid;
  const Dims written = is_cut ? whole : result;
  if (std::ranges::count(written, -1) > 0) node.refuse("an unknown batch");
  const int32_t target = is_cut ? node.like(node.outputs[0], whole) : node.outputs[0];
  const int32_t x = node.inputs[0], filters = node.inputs[1];
  node.write(TRANSPOSE_CONV, options,
             {node.integers32({written.begin(), written.end()}), filters, x,
              written_bias(node, x, filters, node.inputs[2])},
             {target});
  if (is_cut)
    node.write(SLICE,
               {target, node.integers32({0, spatial.before[0], spatial.before[1], 0}),
                node.integers32({result.begin(), result.end()})},
               node.outputs);
}

void write_fully_connected(NodeWriter& node, int32_t weights, bool keeps_dimensions) {
  format::FullyConnectedOptionsT options;
  options.keep_num_dims = keeps_dimensions;
  options.activation = node.activation();
  const bool has_bias = node.input_count() > 2 && !(node.has(Attr::has_bias) && !node.flag(Attr::has_bias));
  const int32_t x = node.inputs[0];
  node.write(FULLY_CONNECTED, options,
             {x, weights, has_bias ? written_bias(node, x, weights, node.inputs[2]) : -1}, node.outputs);
}

// Rows of all but the last dimensions, or of all elements in the order of the data.
void write_full_connection(NodeWriter& node) {
  for (const Attr attr : {Attr::axis, Attr::use_axis}) node.use(attr);
  const std::optional<size_t> axis = required(flattened_axis(node.view()));
  const bool keeps_dimensions = axis && node.output_shape().size() != 2;
  if (keeps_dimensions && *axis + 1 != node.rank()) node.refuse("an axis before the last");
  return write_fully_connected(node, node.inputs[1], keeps_dimensions);
}

// Constant matrices are weights.
void write_matmul(NodeWriter& node) {
  const Dims a = node.input_shape(), b = node.input_shape(1);
  if (a.size() < 2 || b.size() < 2) node.refuse("a vector");
  if (b.size() == 2 && node.is_constant(1) && !node.flag(Attr::transpose_a)) {
    int32_t weights = node.inputs[1];
    if (!node.flag(Attr::transpose_b)) weights = node.transposed(1, {1, 0});
    return write_fully_connected(node, weights, a.size() > 2);
  }
  format::BatchMatMulOptionsT options;
  options.adj_x = node.flag(Attr::transpose_a);
  options.adj_y = node.flag(Attr::transpose_b);
  const Activation activation = node.activation();
  const bool is_activated = activation != Activation::NONE;
  const int32_t target = is_activated ? node.like(node.outputs[0], node.output_shape()) : node.outputs[0];
  node.write(BATCH_MATMUL, options, node.inputs, {target});
  if (is_activated) node.write(activation == Activation::RELU ? RELU : RELU6, {target}, node.outputs);
}

constexpr Row kGemmConvRows[] = {
    {CONV_2D, 2, 3, Numbers::quantized, conv_2d, Op::conv2d, write_conv_2d},
    {CONV_3D, 2, 3, Numbers::real, conv_3d, Op::conv3d, write_conv_3d},
    {DEPTHWISE_CONV_2D, 2, 3, Numbers::quantized, depthwise_conv_2d, Op::depthwise_conv2d_native,
     write_depthwise_conv_2d},
    {TRANSPOSE_CONV, 3, 4, Numbers::quantized, transpose_conv, Op::conv2d_transpose, write_transpose_conv},
    {FULLY_CONNECTED, 2, 3, Numbers::quantized, fully_connected, Op::full_connection, write_full_connection},
    {BATCH_MATMUL, 2, 2, Numbers::quantized, batch_matmul, Op::matmul, write_matmul},
};

}  // namespace

std::span<const Row> gemm_conv_rows() { return kGemmConvRows; }

}  // namespace nnrt::import::tflite
