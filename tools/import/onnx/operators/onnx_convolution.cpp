// Float and quantized convolutions.
#include "tools/import/onnx/operators/onnx_operands.h"
#include "tools/import/onnx/operators/onnx_spatial.h"

#include <algorithm>
#include <cmath>
#include <cstring>
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
  Bytes bytes(numbers->size() * sizeof(int32_t));
  for (size_t i = 0; i < numbers->size(); ++i) {
    const size_t channel = i % quant.scales.size();
    const double real = quant.scales[channel] * ((*numbers)[i] - quant.zero_points[channel]);
    const double steps = std::round(real / (input.scales[0] * weights.scales[i % weights.scales.size()]));
    const auto code = static_cast<int32_t>(
        std::clamp<double>(steps, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
    std::memcpy(bytes.data() + i * sizeof code, &code, sizeof code);
  }
  return call.constant(DType::i32, call.shape(source), std::move(bytes));
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
