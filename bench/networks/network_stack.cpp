#include "networks/network_stack.h"

#include <algorithm>
#include <cmath>

namespace bench {

using conformance::Bytes;
using conformance::Shape;

namespace {

// Quantized ranges cover this many times the root mean square.
constexpr double kReach = 6;

size_t count_of(const Shape& shape) { return conformance::elementCount(shape).value(); }

template <typename T>
Bytes as_bytes(const std::vector<double>& values) {
  Bytes bytes(values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

Bytes as_bytes(OH_NN_DataType dtype, const std::vector<double>& values) {
  switch (dtype) {
    case OH_NN_INT8: return as_bytes<int8_t>(values);
    case OH_NN_BOOL: return as_bytes<bool>(values);
    case OH_NN_INT32: return as_bytes<int32_t>(values);
    case OH_NN_INT64: return as_bytes<int64_t>(values);
    default: return as_bytes<float>(values);
  }
}

bool is_fused(Activation activation) {
  return activation == Activation::relu || activation == Activation::relu6;
}

}  // namespace

Stack::Stack(std::string name, const Scale& scale, Shape input, bool int8) : scale_(scale), int8_(int8) {
  network_.name = std::move(name);
  top_ = {tensor(input, int8 ? OH_NN_INT8 : OH_NN_FLOAT32), input};
  if (int8) quantize_top(false);
  network_.inputs = {top_.tensor};
}

Value Stack::add_input(const Shape& shape) {
  network_.inputs.push_back(tensor(shape, OH_NN_FLOAT32));
  return {network_.inputs.back(), shape};
}

int32_t Stack::channels(int32_t full) const {
  return scale_.divisor == 1 ? full : std::max(8, full / scale_.divisor / 4 * 4);
}

// xorshift64*: a hundred million weights in a fraction of a second.
float Stack::draw() {
  random_state_ ^= random_state_ >> 12;
  random_state_ ^= random_state_ << 25;
  random_state_ ^= random_state_ >> 27;
  const uint64_t bits = random_state_ * 0x2545F4914F6CDD1D;
  return static_cast<float>(static_cast<int32_t>(bits >> 32)) * 0x1p-31f;
}

uint32_t Stack::tensor(const Shape& shape, OH_NN_DataType dtype) {
  conformance::Tensor made;
  made.dataType = dtype;
  made.shape = shape;
  made.format = shape.size() == 4 ? OH_NN_FORMAT_NHWC : OH_NN_FORMAT_NONE;
  network_.tensors.push_back(std::move(made));
  return static_cast<uint32_t>(network_.tensors.size() - 1);
}

uint32_t Stack::constant(const Shape& shape, OH_NN_DataType dtype, const std::vector<double>& values) {
  const uint32_t made = tensor(shape, dtype);
  network_.tensors[made].data = as_bytes(dtype, values);
  return made;
}

uint32_t Stack::random(const Shape& shape, double reach) {
  Bytes bytes(count_of(shape) * sizeof(float));
  for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    const float value = draw() * static_cast<float>(reach);
    std::memcpy(&bytes[at], &value, sizeof value);
  }
  const uint32_t made = tensor(shape, OH_NN_FLOAT32);
  network_.tensors[made].data = std::move(bytes);
  return made;
}

// Symmetric, with one scale per index of the first dimension.
uint32_t Stack::random_quantized(const Shape& shape, double reach) {
  Bytes bytes(count_of(shape));
  for (unsigned char& code : bytes) code = static_cast<unsigned char>(static_cast<int8_t>(draw() * 127));
  const uint32_t made = tensor(shape, OH_NN_INT8);
  const auto rows = static_cast<size_t>(shape[0]);
  conformance::QuantParams quant{{}, std::vector<int32_t>(rows, 0), std::vector<uint32_t>(rows, 8)};
  for (size_t i = 0; i < rows; ++i) quant.scales.push_back(reach / 127 * (1 + 0.2 * double(draw())));
  network_.tensors[made].data = std::move(bytes);
  network_.tensors[made].quant = std::move(quant);
  return made;
}

uint32_t Stack::bias(uint32_t weight, int32_t count) {
  if (!int8_) return random({count}, 0.1);
  const double input_scale = network_.tensors[top_.tensor].quant->scales[0];
  std::vector<double> quantized;
  for (const double scale : network_.tensors[weight].quant->scales) {
    quantized.push_back(std::round(0.1 * double(draw()) / (input_scale * scale)));
  }
  return constant({count}, OH_NN_INT32, quantized);
}

// Weight magnitudes preserve the root mean square of the activations: twice the variance if an activation
// zeroes half of the values.
void Stack::linear(const Linear& linear) {
  const int32_t outputs = linear.weight[0];
  const double products = double(count_of(linear.weight)) / outputs;
  const double variance = (linear.activation == Activation::none ? 1 : 2) / products;
  const double reach = std::sqrt(3 * variance) * linear.gain;
  const uint32_t weight = int8_ ? random_quantized(linear.weight, reach) : random(linear.weight, reach);
  std::vector<Parameter> parameters = linear.parameters;
  const bool fused = is_fused(linear.activation);
  parameters.push_back({linear.activation_type, OH_NN_INT8, {fused ? double(linear.activation) : 0}});
  emit(linear.type, {top_.tensor, weight, bias(weight, outputs)}, parameters, linear.output);
  top_.rms *= linear.gain;
  if (int8_) quantize_top(fused);
  if (linear.activation == Activation::hswish) unary(OH_NN_OPS_HSWISH);
  if (linear.activation == Activation::swish) unary(OH_NN_OPS_SWISH);
}

void Stack::emit(OH_NN_OperationType type, std::vector<uint32_t> inputs,
                 const std::vector<Parameter>& parameters, const Shape& shape) {
  std::vector<uint32_t> ids;
  for (const Parameter& parameter : parameters) {
    const bool many = parameter.values.size() > 1 || parameter.dtype != OH_NN_INT8;
    const Shape one = many ? Shape{static_cast<int32_t>(parameter.values.size())} : Shape{1};
    ids.push_back(constant(one, parameter.dtype, parameter.values));
    network_.tensors[ids.back()].type = parameter.type;
  }
  const bool from_image = network_.tensors[inputs[0]].format == OH_NN_FORMAT_NHWC || top_.shape.size() == 5;
  top_.shape = shape;
  top_.tensor = tensor(shape, int8_ ? OH_NN_INT8 : OH_NN_FLOAT32);
  if (!from_image) network_.tensors[top_.tensor].format = OH_NN_FORMAT_NONE;
  network_.operations.push_back({"", type, std::move(inputs), std::move(ids), {top_.tensor}});
}

void Stack::quantize_top(bool positive) {
  const double scale = kReach * top_.rms / (positive ? 255 : 127);
  network_.tensors[top_.tensor].quant = conformance::QuantParams{{scale}, {positive ? -128 : 0}, {8}};
}

void Stack::keep_quantized_values_of(uint32_t from) {
  network_.tensors[top_.tensor].quant = network_.tensors[from].quant;
}

void Stack::convolve(Convolution convolution) {
  convolution.output = channels(convolution.output);
  convolve_to(convolution);
}

void Stack::convolve_exactly(int32_t output, Activation activation, int32_t kernel) {
  convolve_to({.output = output, .kernel = kernel, .activation = activation});
}

void Stack::convolve_to(const Convolution& convolution) {
  const auto& [output, kernel, stride, activation, given, gain] = convolution;
  const int64_t padding = given < 0 ? kernel / 2 : given;
  const Shape from = top_.shape;
  const auto shrunk = [&, kernel = kernel, stride = stride](int32_t size) {
    return static_cast<int32_t>((size + 2 * padding - kernel) / stride + 1);
  };
  const double step = double(stride), pad = double(padding);
  linear({OH_NN_OPS_CONV2D,
          {output, kernel, kernel, from[3]},
          {from[0], shrunk(from[1]), shrunk(from[2]), output},
          activation,
          OH_NN_CONV2D_ACTIVATION_TYPE,
          {{OH_NN_CONV2D_STRIDES, OH_NN_INT64, {step, step}},
           {OH_NN_CONV2D_PAD, OH_NN_INT64, {pad, pad, pad, pad}}},
          gain});
}

void Stack::convolve_depthwise(int32_t kernel, int64_t stride, Activation activation) {
  const Shape& from = top_.shape;
  const auto shrunk = [&](int32_t size) { return static_cast<int32_t>((size - 1) / stride + 1); };
  const double step = double(stride), pad = kernel / 2;
  linear({OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE,
          {from[3], kernel, kernel, 1},
          {from[0], shrunk(from[1]), shrunk(from[2]), from[3]},
          activation,
          OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE,
          {{OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES, OH_NN_INT64, {step, step}},
           {OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD, OH_NN_INT64, {pad, pad, pad, pad}}}});
}

void Stack::fully_connected(int32_t outputs, Activation activation) {
  const Shape& from = top_.shape;
  linear({OH_NN_OPS_FULL_CONNECTION,
          {outputs, from[1]},
          {from[0], outputs},
          activation,
          OH_NN_FULL_CONNECTION_ACTIVATIONTYPE,
          {}});
}

// With `ceil`, the last pooling window may extend past the end, i.e. padding at the end only.
void Stack::pool_max(Pool pool) {
  const Shape from = top_.shape;
  const uint32_t source = top_.tensor;
  const double kernel = double(pool.kernel), stride = double(pool.stride), padding = double(pool.padding);
  std::vector<double> pads{padding, padding, padding, padding};
  Shape shape = from;
  for (const size_t axis : {1, 2}) {
    const int64_t room = from[axis] + 2 * pool.padding - pool.kernel;
    const int64_t over = pool.ceil ? (pool.stride - room % pool.stride) % pool.stride : 0;
    pads[2 * axis - 1] += double(over);
    shape[axis] = static_cast<int32_t>((room + over) / pool.stride + 1);
  }
  emit(OH_NN_OPS_MAX_POOL, {source},
       {{OH_NN_MAX_POOL_KERNEL_SIZE, OH_NN_INT64, {kernel, kernel}},
        {OH_NN_MAX_POOL_STRIDE, OH_NN_INT64, {stride, stride}},
        {OH_NN_MAX_POOL_PAD, OH_NN_INT64, pads}},
       shape);
  if (int8_) keep_quantized_values_of(source);
}

void Stack::pool_globally() {
  const Shape from = top_.shape;
  const uint32_t source = top_.tensor;
  emit(OH_NN_OPS_AVG_POOL, {source},
       {{OH_NN_AVG_POOL_KERNEL_SIZE, OH_NN_INT64, {double(from[1]), double(from[2])}},
        {OH_NN_AVG_POOL_STRIDE, OH_NN_INT64, {1, 1}},
        {OH_NN_AVG_POOL_PAD_MODE, OH_NN_INT8, {1}}},
       {from[0], 1, 1, from[3]});
  if (int8_) keep_quantized_values_of(source);
}

void Stack::pool_average(int64_t kernel) {
  const Shape from = top_.shape;
  const auto size = static_cast<int32_t>(kernel);
  const double step = double(kernel);
  emit(OH_NN_OPS_AVG_POOL, {top_.tensor},
       {{OH_NN_AVG_POOL_KERNEL_SIZE, OH_NN_INT64, {step, step}},
        {OH_NN_AVG_POOL_STRIDE, OH_NN_INT64, {step, step}},
        {OH_NN_AVG_POOL_PAD_MODE, OH_NN_INT8, {1}}},
       {from[0], from[1] / size, from[2] / size, from[3]});
}

conformance::Case Stack::classify() {
  reshape({scale_.batch, static_cast<int32_t>(count_of(top_.shape)) / scale_.batch});
  fully_connected(scale_.classes);
  return add_classifier();
}

// Quantized values are dequantized first: probabilities are computed in float.
conformance::Case Stack::add_classifier() {
  if (int8_) {
    const uint32_t quantized = top_.tensor;
    int8_ = false;
    emit(OH_NN_OPS_QUANT_DTYPE_CAST, {quantized},
         {{OH_NN_QUANT_DTYPE_CAST_SRC_T, OH_NN_INT64, {OH_NN_INT8}},
          {OH_NN_QUANT_DTYPE_CAST_DST_T, OH_NN_INT64, {OH_NN_FLOAT32}}},
         top_.shape);
  }
  softmax();
  return finish();
}

conformance::Case Stack::finish() {
  network_.outputs.insert(network_.outputs.begin(), top_.tensor);
  return std::move(network_);
}

}  // namespace bench
