#include "tests/tool/quantize/digits_tflite.h"

#include <tflite_generated.h>

#include <fstream>
#include <vector>

namespace tool_tests {
namespace {

namespace format = nnrt::import::tflite::format;
using format::BuiltinOperator;
using format::TensorType;
using Shape = std::vector<int32_t>;

class Writer {
 public:
  Writer() : weights_(NNRT_DIGITS "/weights.bin", std::ios::binary) {
    model_.version = 3;
    model_.buffers.push_back(std::make_unique<format::BufferT>());
    model_.subgraphs.push_back(std::make_unique<format::SubGraphT>());
  }

  format::SubGraphT& graph() { return *model_.subgraphs[0]; }

  int32_t tensor(const std::string& name, Shape shape, TensorType type = TensorType::FLOAT32) {
    auto made = std::make_unique<format::TensorT>();
    made->name = name;
    made->shape = std::move(shape);
    // Dynamic batch.
    made->shape_signature = made->shape;
    made->shape_signature[0] = -1;
    made->type = type;
    graph().tensors.push_back(std::move(made));
    return static_cast<int32_t>(graph().tensors.size()) - 1;
  }

  template <typename T>
  int32_t constant(const std::string& name, Shape shape, TensorType type, const std::vector<T>& values) {
    const int32_t made = tensor(name, std::move(shape), type);
    auto buffer = std::make_unique<format::BufferT>();
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    buffer->data.assign(bytes, bytes + values.size() * sizeof(T));
    graph().tensors.back()->shape_signature.clear();
    graph().tensors.back()->buffer = static_cast<uint32_t>(model_.buffers.size());
    model_.buffers.push_back(std::move(buffer));
    return made;
  }

  // Reads the next weights of the file.
  int32_t weights(const std::string& name, const Shape& shape) {
    size_t count = 1;
    for (const int32_t length : shape) count *= static_cast<size_t>(length);
    std::vector<float> values(count);
    weights_.read(reinterpret_cast<char*>(values.data()),
                  static_cast<std::streamsize>(count * sizeof(float)));
    return constant(name, shape, TensorType::FLOAT32, values);
  }

  template <typename Options>
  int32_t add(BuiltinOperator code, std::vector<int32_t> inputs, int32_t output, Options options) {
    auto op_code = std::make_unique<format::OperatorCodeT>();
    op_code->builtin_code = static_cast<int32_t>(code);
    auto op = std::make_unique<format::OperatorT>();
    op->opcode_index = static_cast<uint32_t>(model_.operator_numbers.size());
    op->inputs = std::move(inputs);
    op->outputs = {output};
    op->builtin_options.Set(std::move(options));
    model_.operator_numbers.push_back(std::move(op_code));
    graph().operators.push_back(std::move(op));
    return output;
  }

  int32_t convolution(const std::string& name, int32_t x, int32_t size, int32_t in, int32_t out) {
    format::Conv2DOptionsT options;
    options.stride_h = options.stride_w = 1;
    options.activation = format::Activation::RELU;
    const int32_t weight = weights(name + "/weight", {out, 3, 3, in}), bias = weights(name + "/bias", {out});
    return add(BuiltinOperator::CONV_2D, {x, weight, bias}, tensor(name, {1, size, size, out}), options);
  }

  int32_t max_pool(const std::string& name, int32_t x, int32_t size, int32_t channels) {
    format::Pool2DOptionsT options;
    options.stride_h = options.stride_w = options.filter_height = options.filter_width = 2;
    options.padding = format::Padding::VALID;
    return add(BuiltinOperator::MAX_POOL_2D, {x}, tensor(name, {1, size / 2, size / 2, channels}), options);
  }

  int32_t product(const std::string& name, int32_t x, int32_t in, int32_t out,
                  format::Activation activation) {
    format::FullyConnectedOptionsT options;
    options.activation = activation;
    const int32_t weight = weights(name + "/weight", {out, in}), bias = weights(name + "/bias", {out});
    return add(BuiltinOperator::FULLY_CONNECTED, {x, weight, bias}, tensor(name, {1, out}), options);
  }

  std::string finish() {
    flatbuffers::FlatBufferBuilder builder;
    format::FinishModelBuffer(builder, format::CreateModel(builder, &model_));
    return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
  }

 private:
  format::ModelT model_;
  std::ifstream weights_;
};

}  // namespace

std::string digits_tflite() {
  Writer net;
  const int32_t image = net.tensor("image", {1, 8, 8, 1});
  net.graph().inputs = {image};
  // Maps 0..16 to -1..1.
  const int32_t eighth = net.constant<float>("eighth", {1}, TensorType::FLOAT32, {0.125f}),
                one = net.constant<float>("one", {1}, TensorType::FLOAT32, {1});
  int32_t x = net.add(BuiltinOperator::MUL, {image, eighth}, net.tensor("scaled", {1, 8, 8, 1}),
                      format::MulOptionsT());
  x = net.add(BuiltinOperator::SUB, {x, one}, net.tensor("centred", {1, 8, 8, 1}), format::SubOptionsT());
  x = net.convolution("conv1", x, 8, 1, 32);
  x = net.convolution("conv2", x, 8, 32, 32);
  x = net.max_pool("pool1", x, 8, 32);
  x = net.convolution("conv3", x, 4, 32, 64);
  x = net.max_pool("pool2", x, 4, 64);
  const int32_t shape = net.constant<int32_t>("shape", {2}, TensorType::INT32, {-1, 256});
  x = net.add(BuiltinOperator::RESHAPE, {x, shape}, net.tensor("flat", {1, 256}), format::ReshapeOptionsT());
  x = net.product("dense1", x, 256, 64, format::Activation::RELU);
  x = net.product("dense2", x, 64, 10, format::Activation::NONE);
  format::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  x = net.add(BuiltinOperator::SOFTMAX, {x}, net.tensor("scores", {1, 10}), softmax);
  net.graph().outputs = {x};
  return net.finish();
}

}  // namespace tool_tests
