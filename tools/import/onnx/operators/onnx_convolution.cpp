// Float and quantized convolutions.
#include "core/base/bytes_of.h"
#include "tools/import/onnx/operators/onnx_operands.h"
#include "tools/import/onnx/operators/onnx_spatial.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::import::onnx {
namespace {

TensorId as_weights(Call& call) {
  const TensorId weights = as_image(call, call.input(1));
  if (is_static(call.shape(weights))) return weights;
  fail(unsupported("The shape ", to_string(call.shape(weights)), " of the weights is not known."));
}

// Of weights as an image.
List<int64_t> kernel_of(const Dims& weights, int64_t rank) {
  return {rank == 3 ? weights.from(3) : weights.from(2)};
}

// INT32 bias in units of input scale * weight scale; other units are converted.
TensorId quantized_bias(Call& call, Value& value, const Quantization& input, const Quantization& weights) {
  const TensorId source = value.quantized ? *value.quantized : *value.plain;
  const auto numbers = call.known_numbers(source);
  if (!numbers) fail(unsupported("The bias is not a constant."));
  const Quantization quant = value.quantized ? call.tensor(source).quantization : Quantization{{1.0}, {0}};
  List<int32_t> codes;
  for (size_t i = 0; i < numbers->size(); ++i) {
    const size_t channel = i % quant.scales.size();
    const double real = quant.scales[channel] * ((*numbers)[i] - quant.zero_points[channel]);
    const double steps = std::round(real / (input.scales[0] * weights.scales[i % weights.scales.size()]));
    codes.push_back(static_cast<int32_t>(
        std::clamp<double>(steps, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())));
  }
  return call.constant(DType::i32, call.shape(source), bytes_of(codes));
}

}  // namespace

TensorId bias_of(Call& call, size_t input, TensorId x, TensorId weights, int64_t channels) {
  if (!call.has(input))
    return call.filled(call.is_quantized_call() ? DType::i32 : call.dtype(x), {channels}, 0);
  if (!call.is_quantized_call()) return call.plain_input(input);
  return quantized_bias(call, call.value(input), call.tensor(x).quantization,
                        call.tensor(weights).quantization);
}

namespace {

Ids conv3d(Call& call, TensorId x) {
  const TensorId w = call.input(1);
  const Dims shape = call.shape(w);  // [out, in / group, depth, height, width]
  if (shape.size() != 5 || !is_static(shape))
    fail(unsupported("Weights of shape ", to_string(shape), " are not supported."));
  const SpatialParams params = read_spatial(call, call.shape(x), {shape[2], shape[3], shape[4]});
  const TensorId weights = call.transpose(w, {0, 2, 3, 4, 1});
  const TensorId bias = bias_of(call, 2, x, weights, shape[0]);
  return {call.emit(Op::conv3d, {x, weights, bias},
                    {{Attr::stride, params.stride},
                     {Attr::pad, params.pads},
                     {Attr::dilation, params.dilation},
                     {Attr::group, call.attributes.count("group", 1)},
                     call.take_activation()})};
}

Ids conv(Call& call) {
  const TensorId input = call.input(0);
  const int64_t rank = call.rank(input);
  if (rank == 5) return conv3d(call, input);
  const TensorId x = as_image(call, input);
  const TensorId w = as_weights(call);
  const Dims shape = call.shape(w);  // [out, in / group, height, width]
  const SpatialParams spatial =
      as_image(read_spatial(call, call.shape(input), kernel_of(shape, rank), Same::mode));
  const TensorId weights = call.emitter().transposed_weights(w, {0, 2, 3, 1});
  const TensorId bias = bias_of(call, 2, x, weights, shape[0]);
  const int64_t group = call.attributes.count("group", 1);
  const bool depthwise = group > 1 && shape[1] == 1 && call.shape(x)[1] == group;
  Settings settings{{Attr::stride, spatial.stride},
                    {Attr::dilation, spatial.dilation},
                    spatial.padding(),
                    call.take_activation()};
  if (!depthwise) settings.push_back({Attr::group, group});
  const auto operation = depthwise ? Op::depthwise_conv2d_native : Op::conv2d;
  return {from_image(call, call.emit(operation, {x, weights, bias}, settings), rank)};
}

// [in, out / group, height, width] to [out, height, width, in / group].
TensorId transposed_weights(Call& call, TensorId w, int64_t group) {
  if (group == 1) return call.transpose(w, {1, 2, 3, 0});
  const Dims shape = call.shape(w);
  if (group < 1 || shape[0] % group != 0)
    fail(damaged("The group (", group, ") does not divide ", shape[0], " channels."));
  const TensorId groups = call.reshape(w, {group, shape[0] / group, shape[1], shape[2], shape[3]});
  const TensorId transposed = call.transpose(groups, {0, 2, 3, 4, 1});
  return call.reshape(transposed, {group * shape[1], shape[2], shape[3], shape[0] / group});
}

constexpr size_t kAxes = 3;  // of three-dimensional convolutions

// Inserts zeros between elements, up to the stride.
TensorId with_zeros_between(Call& call, TensorId x, const SpatialParams& params) {
  if (std::ranges::all_of(params.stride, [](int64_t stride) { return stride == 1; })) return x;
  const Dims shape = call.shape(x);
  List<int64_t> apart{-1}, together{-1, shape[1]}, pads{0, 0};
  for (size_t i = 0; i < kAxes; ++i) {
    apart.insert(apart.end(), {shape[2 + i], 1});
    together.push_back(shape[2 + i] * params.stride[i]);
    pads.insert(pads.end(), {0, 0, 0, params.stride[i] - 1});
  }
  return call.regroup(call.padded(call.regroup(x, apart), pads), together);
}

// [in, out / group, kernel] to [out, kernel, in / group], with mirrored kernels.
TensorId mirrored(Call& call, TensorId w, int64_t group) {
  const Dims shape = call.shape(w);
  const TensorId groups = call.reshape(call.reversed(w, {2, 3, 4}),
                                       {group, shape[0] / group, shape[1], shape[2], shape[3], shape[4]});
  return call.reshape(call.transpose(groups, {0, 2, 3, 4, 5, 1}),
                      {group * shape[1], shape[2], shape[3], shape[4], shape[0] / group});
}

// Padding of CONV3D's input; negative pads crop x.
List<int64_t> pads_of(Call& call, TensorId& x, const SpatialParams& params, const List<int64_t>& extra) {
  List<int64_t> pads;
  for (size_t i = 0; i < kAxes; ++i) {
    const int64_t reach = (params.kernel[i] - 1) * params.dilation[i];
    const int64_t before = reach - params.pads[2 * i];
    const int64_t after = reach - params.pads[2 * i + 1] + extra[i] - (params.stride[i] - 1);
    const auto axis = static_cast<int64_t>(2 + i);
    const int64_t begin = std::max<int64_t>(-before, 0),
                  end = call.length(x, axis) + std::min<int64_t>(after, 0);
    if (end <= begin) fail(damaged("The padding leaves nothing of dimension ", axis, "."));
    x = call.slice(x, axis, begin, end);
    pads.insert(pads.end(), {std::max<int64_t>(before, 0), std::max<int64_t>(after, 0)});
  }
  return pads;
}

// Returns whether each element produces a separate block of the result.
bool makes_blocks(const SpatialParams& params, const List<int64_t>& extra, int64_t group) {
  const auto all = [](const List<int64_t>& values, int64_t wanted) {
    return std::ranges::all_of(values, [=](int64_t value) { return value == wanted; });
  };
  return group == 1 && params.kernel == params.stride && all(params.dilation, 1) && all(params.pads, 0) &&
         all(extra, 0);
}

// A block's elements first appear as channels of a product.
Ids by_blocks(Call& call, TensorId x, TensorId w) {
  const Dims shape = call.shape(w), in = call.shape(x);  // [in, out, kernel], [batch, in, sizes]
  const int64_t out = shape[1], cells = product(shape, 2, shape.size());
  const TensorId weights = call.reshape(call.transpose(w, {1, 2, 3, 4, 0}), {out * cells, 1, 1, 1, shape[0]});
  const TensorId bias = bias_of(call, 2, x, weights, out);
  const TensorId repeated =
      call.reshape(call.broadcast(call.reshape(bias, {out, 1}), {out, cells}), {out * cells});
  const TensorId y = call.emit(Op::conv3d, {x, weights, repeated}, {call.take_activation()});
  const TensorId apart = call.regroup(y, {-1, out, shape[2], shape[3], shape[4], in[2], in[3], in[4]});
  const TensorId placed = call.transpose(apart, {0, 1, 5, 2, 6, 3, 7, 4});
  return {call.regroup(placed, {-1, out, in[2] * shape[2], in[3] * shape[3], in[4] * shape[4]})};
}

// CONV3D with mirrored weights over the zero-interleaved input.
Ids conv3d_transpose(Call& call, TensorId x) {
  const TensorId w = call.input(1);
  const Dims shape = call.shape(w), input = call.shape(x);
  const int64_t group = call.attributes.count("group", 1);
  if (shape.size() != 5 || !is_static(shape))
    fail(unsupported("Weights of shape ", to_string(shape), " are not supported."));
  if (!is_static(input.from(1))) fail(unsupported("The shape ", to_string(input), " is not known."));
  if (group < 1 || shape[0] % group != 0)
    fail(damaged("The group (", group, ") does not divide ", shape[0], " channels."));
  SpatialParams params = read_spatial(call, input, {shape[2], shape[3], shape[4]});
  const List<int64_t> extra = place_output(call, params, input);
  if (makes_blocks(params, extra, group) && !call.is_quantized_call()) return by_blocks(call, x, w);
  TensorId data = with_zeros_between(call, x, params);
  const List<int64_t> pads = pads_of(call, data, params, extra);
  const TensorId weights = mirrored(call, w, group);
  const TensorId bias = bias_of(call, 2, x, weights, group * shape[1]);
  return {call.emit(
      Op::conv3d, {data, weights, bias},
      {{Attr::pad, pads}, {Attr::dilation, params.dilation}, {Attr::group, group}, call.take_activation()})};
}

Ids conv_transpose(Call& call) {
  const TensorId input = call.input(0);
  const int64_t rank = call.rank(input);
  if (rank == 5) return conv3d_transpose(call, input);
  const TensorId x = as_image(call, input);
  const TensorId w = as_weights(call);
  const Dims shape = call.shape(w);
  const int64_t group = call.attributes.count("group", 1);
  SpatialParams spatial = read_spatial(call, call.shape(input), kernel_of(shape, rank));
  List<int64_t> extra = place_output(call, spatial, call.shape(input));
  spatial = as_image(std::move(spatial));
  if (rank == 3) extra.insert_at(0, 0);
  const TensorId weights = transposed_weights(call, w, group);
  const TensorId bias = bias_of(call, 2, x, weights, call.shape(weights)[0]);
  const TensorId y = call.emit(Op::conv2d_transpose, {x, weights, bias},
                               {{Attr::stride, spatial.stride},
                                {Attr::dilation, spatial.dilation},
                                {Attr::pad, spatial.pads},
                                {Attr::output_padding, extra},
                                {Attr::group, group},
                                call.take_activation()});
  return {from_image(call, y, rank)};
}

}  // namespace

std::vector<Row> convolution_rows() {
  return {
      {"Conv", conv, {}, 2, true},
      {"ConvTranspose", conv_transpose, {}, 2, true},
  };
}

}  // namespace nnrt::import::onnx
