#include "stacks.h"

#include <cmath>
#include <cstring>
#include <random>

namespace bench {
namespace {

using conformance::Bytes;
using conformance::Case;
using conformance::Shape;

enum Activation : int8_t { kNone, kRelu, kRelu6 };

// A chain of operators over images in NHWC, 224 x 224 at first.
class Stack {
 public:
  explicit Stack(std::string name) {
    network_.name = std::move(name);
    shape_ = {1, 224, 224, 3};
    top_ = tensor(shape_);
    network_.inputs = {top_};
  }

  uint32_t top() const { return top_; }
  Shape shape() const { return shape_; }
  // What comes next is computed from an earlier result.
  void back_to(uint32_t tensor, const Shape& shape) {
    top_ = tensor;
    shape_ = shape;
  }

  void convolve(int32_t channels, int32_t kernel, int64_t stride, Activation activation) {
    const int32_t inputs = shape_[3];
    const uint32_t weight = weights({channels, kernel, kernel, inputs}, kernel * kernel * inputs);
    window(OH_NN_OPS_CONV2D, channels, stride, {weight, weights({channels}, 1)},
           {strides(OH_NN_CONV2D_STRIDES, stride), same(OH_NN_CONV2D_PAD_MODE),
            parameter<int8_t>(OH_NN_CONV2D_ACTIVATION_TYPE, OH_NN_INT8, {activation})});
  }

  void convolve_depthwise(int64_t stride, Activation activation) {
    const int32_t channels = shape_[3];
    window(
        OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE, channels, stride,
        {weights({channels, 3, 3, 1}, 9), weights({channels}, 1)},
        {strides(OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES, stride), same(OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD_MODE),
         parameter<int8_t>(OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE, OH_NN_INT8, {activation})});
  }

  void pool_max() {
    window(OH_NN_OPS_MAX_POOL, shape_[3], 2, {},
           {parameter<int64_t>(OH_NN_MAX_POOL_KERNEL_SIZE, OH_NN_INT64, {3, 3}),
            strides(OH_NN_MAX_POOL_STRIDE, 2), same(OH_NN_MAX_POOL_PAD_MODE)});
  }

  void add(uint32_t other) { operation(OH_NN_OPS_ADD, {top_, other}, {}, shape_); }
  void relu() { operation(OH_NN_OPS_RELU, {top_}, {}, shape_); }

  // The mean of each channel, a full connection, and the classes' probabilities.
  Case classify(int32_t classes) {
    const int32_t channels = shape_[3];
    operation(
        OH_NN_OPS_AVG_POOL, {top_},
        {parameter<int64_t>(OH_NN_AVG_POOL_KERNEL_SIZE, OH_NN_INT64, {shape_[1], shape_[2]}),
         strides(OH_NN_AVG_POOL_STRIDE, 1), parameter<int8_t>(OH_NN_AVG_POOL_PAD_MODE, OH_NN_INT8, {1})},
        {1, 1, 1, channels});
    operation(OH_NN_OPS_RESHAPE, {top_, constant<int32_t>(OH_NN_INT32, {1, channels})}, {}, {1, channels});
    operation(OH_NN_OPS_FULL_CONNECTION,
              {top_, weights({classes, channels}, channels), weights({classes}, 1)}, {}, {1, classes});
    operation(OH_NN_OPS_SOFTMAX, {top_}, {parameter<int64_t>(OH_NN_SOFTMAX_AXIS, OH_NN_INT64, {1})},
              {1, classes});
    network_.outputs = {top_};
    return std::move(network_);
  }

 private:
  uint32_t tensor(const Shape& shape, OH_NN_DataType dtype = OH_NN_FLOAT32) {
    conformance::Tensor made;
    made.dataType = dtype;
    made.shape = shape;
    made.format = shape.size() == 4 ? OH_NN_FORMAT_NHWC : OH_NN_FORMAT_NONE;
    network_.tensors.push_back(std::move(made));
    return static_cast<uint32_t>(network_.tensors.size() - 1);
  }

  template <typename T>
  void set_data(uint32_t tensor, const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    network_.tensors[tensor].data = std::move(bytes);
  }

  template <typename T>
  uint32_t constant(OH_NN_DataType dtype, const std::vector<T>& values) {
    const uint32_t made = tensor({static_cast<int32_t>(values.size())}, dtype);
    set_data(made, values);
    return made;
  }

  template <typename T>
  uint32_t parameter(OH_NN_TensorType type, OH_NN_DataType dtype, const std::vector<T>& values) {
    const uint32_t made = constant(dtype, values);
    network_.tensors[made].type = type;
    return made;
  }

  uint32_t strides(OH_NN_TensorType type, int64_t stride) {
    return parameter<int64_t>(type, OH_NN_INT64, {stride, stride});
  }
  uint32_t same(OH_NN_TensorType type) { return parameter<int8_t>(type, OH_NN_INT8, {0}); }

  uint32_t weights(const Shape& shape, int32_t inputs) {
    size_t count = 1;
    for (const int32_t dimension : shape) count *= static_cast<size_t>(dimension);
    const float reach = std::sqrt(3.0f / static_cast<float>(inputs));
    std::uniform_real_distribution<float> draw(-reach, reach);
    std::vector<float> values(count);
    for (float& value : values) value = draw(random_);
    const uint32_t made = tensor(shape);
    set_data(made, values);
    return made;
  }

  void window(OH_NN_OperationType type, int32_t channels, int64_t stride, std::vector<uint32_t> constants,
              std::vector<uint32_t> params) {
    const auto shrunk = [&](int32_t size) { return static_cast<int32_t>((size + stride - 1) / stride); };
    constants.insert(constants.begin(), top_);
    operation(type, std::move(constants), std::move(params),
              {1, shrunk(shape_[1]), shrunk(shape_[2]), channels});
  }

  void operation(OH_NN_OperationType type, std::vector<uint32_t> inputs, std::vector<uint32_t> params,
                 const Shape& shape) {
    shape_ = shape;
    top_ = tensor(shape);
    network_.operations.push_back({"", type, std::move(inputs), std::move(params), {top_}});
  }

  Case network_;
  Shape shape_;
  uint32_t top_ = 0;
  std::mt19937 random_{1};
};

void bottleneck(Stack& stack, int32_t channels, int64_t stride, bool project) {
  const uint32_t from = stack.top();
  const Shape shape = stack.shape();
  stack.convolve(channels, 1, 1, kRelu);
  stack.convolve(channels, 3, stride, kRelu);
  stack.convolve(4 * channels, 1, 1, kNone);
  uint32_t shortcut = from;
  if (project) {
    const uint32_t main = stack.top();
    stack.back_to(from, shape);
    stack.convolve(4 * channels, 1, stride, kNone);
    shortcut = main;
  }
  stack.add(shortcut);
  stack.relu();
}

void inverted_residual(Stack& stack, int32_t channels, int64_t stride, int32_t expansion) {
  const uint32_t from = stack.top();
  const bool adds = stride == 1 && stack.shape()[3] == channels;
  if (expansion > 1) stack.convolve(expansion * stack.shape()[3], 1, 1, kRelu6);
  stack.convolve_depthwise(stride, kRelu6);
  stack.convolve(channels, 1, 1, kNone);
  if (adds) stack.add(from);
}

}  // namespace

Case resnet_50() {
  Stack stack("resnet_50");
  stack.convolve(64, 7, 2, kRelu);
  stack.pool_max();
  const int blocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    for (int block = 0; block < blocks[stage]; ++block) {
      bottleneck(stack, 64 << stage, stage > 0 && block == 0 ? 2 : 1, block == 0);
    }
  }
  return stack.classify(1000);
}

Case mobilenet_v2() {
  Stack stack("mobilenet_v2");
  stack.convolve(32, 3, 2, kRelu6);
  struct Stage {
    int32_t expansion, channels, blocks;
    int64_t stride;
  };
  for (const Stage& stage : std::initializer_list<Stage>{{1, 16, 1, 1},
                                                         {6, 24, 2, 2},
                                                         {6, 32, 3, 2},
                                                         {6, 64, 4, 2},
                                                         {6, 96, 3, 1},
                                                         {6, 160, 3, 2},
                                                         {6, 320, 1, 1}}) {
    for (int32_t block = 0; block < stage.blocks; ++block) {
      inverted_residual(stack, stage.channels, block == 0 ? stage.stride : 1, stage.expansion);
    }
  }
  stack.convolve(1280, 1, 1, kRelu6);
  return stack.classify(1000);
}

}  // namespace bench
