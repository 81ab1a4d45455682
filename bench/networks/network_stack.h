// Composes a network operator by operator: each one replaces the value on top of the stack.
#pragma once

#include "networks/networks.h"

#include <cstring>

namespace bench {

enum class Activation : int8_t { none, relu, relu6, hswish, swish };

// A result that later operators can refer to.
struct Value {
  uint32_t tensor = 0;
  conformance::Shape shape;
  double rms = 1;  // expected root mean square of its elements with the random weights
};

inline conformance::Shape image(const Scale& scale) { return {scale.batch, scale.side, scale.side, 3}; }

class Stack {
 public:
  Stack(std::string name, const Scale& scale, conformance::Shape input, bool int8 = false);

  const Value& top() const { return top_; }
  // Adds a network input; the top is unchanged.
  Value add_input(const conformance::Shape& shape);
  int32_t width() const { return top_.shape.back(); }
  void back_to(const Value& value) { top_ = value; }
  // The scaled number of channels, a multiple of 4.
  int32_t channels(int32_t full) const;

  // `output` is unscaled, `kernel` is square. Padding defaults to `kernel` / 2 per side.
  struct Convolution {
    int32_t output, kernel = 1;
    int64_t stride = 1;
    Activation activation = Activation::none;
    int64_t padding = -1;
    double gain = 1;  // less for residual branches, so that sums do not grow with depth
  };
  void convolve(Convolution convolution);
  // An unscaled number of output channels.
  void convolve_exactly(int32_t output, Activation activation, int32_t kernel = 1);
  void convolve_depthwise(int32_t kernel, int64_t stride, Activation activation);

  struct Pool {
    int64_t kernel = 3, stride = 2, padding = 0;
    bool ceil = false;
  };
  void pool_max(Pool pool);
  void pool_globally();
  void pool_average(int64_t kernel);  // non-overlapping windows
  // Multiplies channels by squeeze-and-excitation gates: the global means through two convolutions.
  void squeeze_and_excite(int32_t squeezed, Activation inner, OH_NN_OperationType gate);
  // Channel shuffle: the first channel of each group, then the second of each group, and so on.
  void shuffle(int32_t groups);
  std::vector<Value> split_channels(int32_t parts);
  void concat_channels(const std::vector<Value>& parts);
  // Prepends random constants to the top along this dimension.
  void prepend_random(size_t axis, int32_t count);
  // Appends the top to a new network input of this length, and makes the result a network output too.
  void append_to_state(size_t axis, int32_t length);

  void unary(OH_NN_OperationType type);
  void add(const Value& other);
  void add_relu(const Value& other);
  // Broadcast over the leading dimensions.
  void add_random(const conformance::Shape& shape);
  void multiply(const Value& other);
  // Adds dimensions to an image, or reshapes a non-image: batched rows may have rank 4 too.
  void reshape(const conformance::Shape& shape);
  void reshape_to_image(const conformance::Shape& shape);
  void transpose(const std::vector<int32_t>& order);
  // [rows, inputs] to [rows, outputs], with bias.
  void fully_connected(int32_t outputs, Activation activation = Activation::none);
  // Matrices, batched over the leading dimensions.
  void matmul(const Value& right, bool transpose_right);
  void scale(float factor);
  void layer_norm();
  void batch_norm();
  void softmax();
  // Keeps only the first row of each batch.
  void take_first_row();
  // Causal softmax: masks everything right of the diagonal of the last two dimensions.
  void mask_future();
  void lstm(int32_t hidden);

  // Class probabilities, by a full connection or directly from the top.
  conformance::Case classify();
  conformance::Case add_classifier();
  conformance::Case finish();

 private:
  struct Parameter {
    OH_NN_TensorType type;
    OH_NN_DataType dtype;
    std::vector<double> values;
  };
  struct Linear {
    OH_NN_OperationType type;
    conformance::Shape weight, output;
    Activation activation;
    OH_NN_TensorType activation_type;
    std::vector<Parameter> parameters;
    double gain = 1;
  };

  uint32_t tensor(const conformance::Shape& shape, OH_NN_DataType dtype);
  uint32_t constant(const conformance::Shape& shape, OH_NN_DataType dtype, const std::vector<double>& values);
  uint32_t random(const conformance::Shape& shape, double reach);
  uint32_t random_quantized(const conformance::Shape& shape, double reach);
  uint32_t bias(uint32_t weight, int32_t count);
  void convolve_to(const Convolution& convolution);
  void linear(const Linear& linear);
  void emit(OH_NN_OperationType type, std::vector<uint32_t> inputs, const std::vector<Parameter>& parameters,
            const conformance::Shape& shape);
  void quantize_top(bool positive);
  void keep_quantized_values_of(uint32_t from);
  float draw();  // in [-1, 1)

  conformance::Case network_;
  Scale scale_;
  bool int8_;
  Value top_;
  uint64_t random_state_ = 1;
};

}  // namespace bench
