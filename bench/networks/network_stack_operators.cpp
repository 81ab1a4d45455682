// Operators with few or no weights.
#include "networks/network_stack.h"

#include <cmath>

namespace bench {

using conformance::Shape;

void Stack::unary(OH_NN_OperationType type) { emit(type, {top_.tensor}, {}, Shape(top_.shape)); }

void Stack::add(const Value& other) {
  const double rms = std::hypot(top_.rms, other.rms);
  emit(OH_NN_OPS_ADD, {top_.tensor, other.tensor}, {}, Shape(top_.shape));
  top_.rms = rms;
  if (int8_) quantize_top(false);
}

void Stack::add_relu(const Value& other) {
  const double rms = std::hypot(top_.rms, other.rms);
  emit(OH_NN_OPS_ADD, {top_.tensor, other.tensor},
       {{OH_NN_ADD_ACTIVATIONTYPE, OH_NN_INT8, {double(Activation::relu)}}}, Shape(top_.shape));
  top_.rms = rms;
  if (int8_) quantize_top(true);
}

void Stack::multiply(const Value& other) {
  emit(OH_NN_OPS_MUL, {top_.tensor, other.tensor}, {}, Shape(top_.shape));
}

void Stack::add_random(const Shape& shape) {
  const uint32_t added = random(shape, 0.1);
  emit(OH_NN_OPS_ADD, {top_.tensor, added}, {}, Shape(top_.shape));
}

void Stack::scale(float factor) {
  const uint32_t constant_factor = constant({1}, OH_NN_FLOAT32, {double(factor)});
  emit(OH_NN_OPS_MUL, {top_.tensor, constant_factor}, {}, Shape(top_.shape));
}

void Stack::mask_future() {
  const int32_t columns = top_.shape.back(), rows = top_.shape.end()[-2];
  std::vector<double> mask(static_cast<size_t>(rows) * static_cast<size_t>(columns));
  constexpr double kFar = -1e4;
  for (size_t i = 0; i < mask.size(); ++i) {
    const size_t row = i / static_cast<size_t>(columns), column = i % static_cast<size_t>(columns);
    mask[i] = column > row ? kFar : 0;
  }
  const uint32_t added = constant({rows, columns}, OH_NN_FLOAT32, mask);
  emit(OH_NN_OPS_ADD, {top_.tensor, added}, {}, Shape(top_.shape));
}

void Stack::squeeze_and_excite(int32_t squeezed, Activation inner, OH_NN_OperationType gate) {
  const Value features = top_;
  pool_globally();
  convolve_exactly(squeezed, inner);
  convolve_exactly(features.shape[3], Activation::none);
  unary(gate);
  const Value gates = top_;
  back_to(features);
  multiply(gates);
}

void Stack::reshape(const Shape& shape) {
  const uint32_t source = top_.tensor;
  const uint32_t sizes = constant({static_cast<int32_t>(shape.size())}, OH_NN_INT32,
                                  std::vector<double>(shape.begin(), shape.end()));
  emit(OH_NN_OPS_RESHAPE, {source, sizes}, {}, shape);
  if (int8_) keep_quantized_values_of(source);
}

void Stack::reshape_to_image(const Shape& shape) {
  reshape(shape);
  network_.tensors[top_.tensor].format = OH_NN_FORMAT_NHWC;
}

void Stack::transpose(const std::vector<int32_t>& order) {
  const uint32_t source = top_.tensor;
  Shape shape;
  for (const int32_t axis : order) shape.push_back(top_.shape[static_cast<size_t>(axis)]);
  const uint32_t axes = constant({static_cast<int32_t>(order.size())}, OH_NN_INT32,
                                 std::vector<double>(order.begin(), order.end()));
  emit(OH_NN_OPS_TRANSPOSE, {source, axes}, {}, shape);
  if (int8_) keep_quantized_values_of(source);
}

void Stack::shuffle(int32_t groups) {
  const Shape shape = top_.shape;
  reshape({shape[0], shape[1], shape[2], groups, shape[3] / groups});
  transpose({0, 1, 2, 4, 3});
  reshape(shape);
}

std::vector<Value> Stack::split_channels(int32_t parts) {
  Shape shape = top_.shape;
  shape.back() /= parts;
  const double axis = double(shape.size()) - 1;
  emit(OH_NN_OPS_SPLIT, {top_.tensor},
       {{OH_NN_SPLIT_AXIS, OH_NN_INT64, {axis}}, {OH_NN_SPLIT_OUTPUT_NUM, OH_NN_INT64, {double(parts)}}},
       shape);
  std::vector<Value> values{top_};
  for (int32_t i = 1; i < parts; ++i) {
    values.push_back({tensor(shape, OH_NN_FLOAT32), shape, top_.rms});
    network_.operations.back().outputs.push_back(values.back().tensor);
  }
  return values;
}

// Quantized parts share a scale, since their root mean squares match.
void Stack::concat_channels(const std::vector<Value>& parts) {
  Shape shape = parts[0].shape;
  shape.back() = 0;
  std::vector<uint32_t> inputs;
  for (const Value& part : parts) {
    shape.back() += part.shape.back();
    inputs.push_back(part.tensor);
  }
  emit(OH_NN_OPS_CONCAT, inputs, {{OH_NN_CONCAT_AXIS, OH_NN_INT64, {double(shape.size()) - 1}}}, shape);
  top_.rms = parts[0].rms;
  if (int8_) keep_quantized_values_of(parts[0].tensor);
}

void Stack::prepend_random(size_t axis, int32_t count) {
  Shape shape = top_.shape;
  shape[axis] = count;
  const std::vector<uint32_t> inputs{random(shape, 1), top_.tensor};
  shape[axis] += top_.shape[axis];
  emit(OH_NN_OPS_CONCAT, inputs, {{OH_NN_CONCAT_AXIS, OH_NN_INT64, {double(axis)}}}, shape);
}

void Stack::append_to_state(size_t axis, int32_t length) {
  Shape shape = top_.shape;
  shape[axis] = length;
  const Value state = add_input(shape);
  shape[axis] += top_.shape[axis];
  emit(OH_NN_OPS_CONCAT, {state.tensor, top_.tensor}, {{OH_NN_CONCAT_AXIS, OH_NN_INT64, {double(axis)}}},
       shape);
  network_.outputs.push_back(top_.tensor);
}

void Stack::take_first_row() {
  Shape shape = top_.shape;
  shape[1] = 1;
  const uint32_t begin = constant({3}, OH_NN_INT32, {0, 0, 0});
  const uint32_t size = constant({3}, OH_NN_INT32, {double(shape[0]), 1, double(shape[2])});
  emit(OH_NN_OPS_SLICE, {top_.tensor, begin, size}, {}, shape);
}

void Stack::matmul(const Value& right, bool transpose_right) {
  Shape shape = top_.shape;
  const size_t rank = shape.size();
  shape.back() = right.shape[transpose_right ? rank - 2 : rank - 1];
  emit(OH_NN_OPS_MATMUL, {top_.tensor, right.tensor},
       {{OH_NN_MATMUL_TRANSPOSE_B, OH_NN_BOOL, {transpose_right ? 1.0 : 0.0}}}, shape);
}

void Stack::layer_norm() {
  const Shape shape = top_.shape;
  const double axis = double(shape.size()) - 1;
  const uint32_t gamma = constant({width()}, OH_NN_FLOAT32, std::vector<double>(size_t(width()), 1));
  const uint32_t beta = random({width()}, 0.1);
  emit(OH_NN_OPS_LAYER_NORM, {top_.tensor, gamma, beta},
       {{OH_NN_LAYER_NORM_BEGIN_NORM_AXIS, OH_NN_INT32, {axis}},
        {OH_NN_LAYER_NORM_EPSILON, OH_NN_FLOAT32, {1e-5}},
        {OH_NN_LAYER_NORM_BEGIN_PARAM_AXIS, OH_NN_INT32, {axis}}},
       shape);
}

// Its channels have a mean near 0 and a variance near 1.
void Stack::batch_norm() {
  const size_t channels = size_t(width());
  const uint32_t gamma = constant({width()}, OH_NN_FLOAT32, std::vector<double>(channels, 1));
  const uint32_t beta = random({width()}, 0.1), mean = random({width()}, 0.1);
  const uint32_t variance = constant({width()}, OH_NN_FLOAT32, std::vector<double>(channels, 1));
  emit(OH_NN_OPS_BATCH_NORM, {top_.tensor, gamma, beta, mean, variance},
       {{OH_NN_BATCH_NORM_EPSILON, OH_NN_FLOAT32, {1e-5}}}, Shape(top_.shape));
}

void Stack::softmax() {
  const Shape shape = top_.shape;
  emit(OH_NN_OPS_SOFTMAX, {top_.tensor}, {{OH_NN_SOFTMAX_AXIS, OH_NN_INT64, {double(shape.size()) - 1}}},
       shape);
}

// One unidirectional layer with a zero initial state.
void Stack::lstm(int32_t hidden) {
  const Shape from = top_.shape;  // [steps, batch, width]
  const Shape state{1, from[1], hidden};
  const double reach = 1 / std::sqrt(double(hidden));
  const std::vector<uint32_t> inputs{
      top_.tensor,
      random({1, 4 * hidden, from[2]}, reach),
      random({1, 4 * hidden, hidden}, reach),
      random({1, 8 * hidden}, reach),
      constant(state, OH_NN_FLOAT32, std::vector<double>(size_t(from[1] * hidden), 0)),
      constant(state, OH_NN_FLOAT32, std::vector<double>(size_t(from[1] * hidden), 0))};
  emit(OH_NN_OPS_LSTM, inputs,
       {{OH_NN_LSTM_HAS_BIAS, OH_NN_BOOL, {1}},
        {OH_NN_LSTM_INPUT_SIZE, OH_NN_INT64, {double(from[2])}},
        {OH_NN_LSTM_HIDDEN_SIZE, OH_NN_INT64, {double(hidden)}},
        {OH_NN_LSTM_NUM_LAYERS, OH_NN_INT64, {1}}},
       {from[0], from[1], hidden});
  for (int i = 0; i < 2; ++i) network_.operations.back().outputs.push_back(tensor(state, OH_NN_FLOAT32));
}

}  // namespace bench
