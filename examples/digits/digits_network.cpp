#include "digits_network.h"

#include <cstdint>
#include <fstream>
#include <vector>

namespace {

using Indices = std::vector<uint32_t>;

// An empty array must be {nullptr, 0}.
OH_NN_UInt32Array as_array(Indices& indices) {
  return {indices.empty() ? nullptr : indices.data(), static_cast<uint32_t>(indices.size())};
}

// Adds tensors and operations to a model. A tensor's number is the count of tensors added before it.
class Composer {
 public:
  explicit Composer(const std::string& weights_file) : weights_(weights_file, std::ios::binary) {
    if (!weights_) throw std::runtime_error("cannot open " + weights_file);
  }

  // An input, or a tensor computed at run time.
  uint32_t tensor(const char* name, std::vector<int32_t> shape, OH_NN_DataType type = OH_NN_FLOAT32) {
    const TensorDesc desc(OH_NNTensorDesc_Create());
    check(OH_NNTensorDesc_SetName(desc.get(), name), "OH_NNTensorDesc_SetName");
    check(OH_NNTensorDesc_SetDataType(desc.get(), type), "OH_NNTensorDesc_SetDataType");
    check(OH_NNTensorDesc_SetFormat(desc.get(), OH_NN_FORMAT_NHWC), "OH_NNTensorDesc_SetFormat");
    if (!shape.empty()) {
      check(OH_NNTensorDesc_SetShape(desc.get(), shape.data(), shape.size()), "OH_NNTensorDesc_SetShape");
    }
    check(OH_NNModel_AddTensorToModel(model_.get(), desc.get()), "OH_NNModel_AddTensorToModel");
    return next_++;
  }

  // A constant; the model copies its data.
  template <typename T>
  uint32_t constant(const char* name, std::vector<int32_t> shape, OH_NN_DataType type,
                    const std::vector<T>& data) {
    const uint32_t index = tensor(name, std::move(shape), type);
    check(OH_NNModel_SetTensorData(model_.get(), index, data.data(), data.size() * sizeof(T)),
          "OH_NNModel_SetTensorData");
    return index;
  }

  // The next weights of the file.
  uint32_t weights(const char* name, const std::vector<int32_t>& shape) {
    size_t count = 1;
    for (const int32_t dimension : shape) count *= static_cast<size_t>(dimension);
    std::vector<float> data(count);
    weights_.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(count * sizeof(float)));
    if (!weights_) throw std::runtime_error("the file of weights is too short");
    return constant(name, shape, OH_NN_FLOAT32, data);
  }

  // An operation's parameters are constant tensors too; their type tells which parameter they are.
  template <typename T>
  uint32_t parameter(OH_NN_TensorType role, OH_NN_DataType type, const std::vector<T>& data) {
    const uint32_t index = constant("parameter", {static_cast<int32_t>(data.size())}, type, data);
    check(OH_NNModel_SetTensorType(model_.get(), index, role), "OH_NNModel_SetTensorType");
    return index;
  }

  void operation(OH_NN_OperationType type, Indices inputs, Indices parameters, Indices outputs) {
    const OH_NN_UInt32Array input_array = as_array(inputs), parameter_array = as_array(parameters),
                            output_array = as_array(outputs);
    check(OH_NNModel_AddOperation(model_.get(), type, &parameter_array, &input_array, &output_array),
          "OH_NNModel_AddOperation");
  }

  Model finish(Indices inputs, Indices outputs) {
    const OH_NN_UInt32Array input_array = as_array(inputs), output_array = as_array(outputs);
    check(OH_NNModel_SpecifyInputsAndOutputs(model_.get(), &input_array, &output_array),
          "OH_NNModel_SpecifyInputsAndOutputs");
    check(OH_NNModel_Finish(model_.get()), "OH_NNModel_Finish");
    return std::move(model_);
  }

 private:
  Model model_{OH_NNModel_Construct()};
  std::ifstream weights_;
  uint32_t next_ = 0;
};

// 3 x 3 convolution with RELU; SAME padding keeps height and width.
uint32_t convolution(Composer& net, uint32_t x, int32_t size, int32_t in, int32_t out) {
  const uint32_t weight = net.weights("weight", {out, 3, 3, in});
  const uint32_t bias = net.weights("bias", {out});
  const uint32_t same = net.parameter<int8_t>(OH_NN_CONV2D_PAD_MODE, OH_NN_INT8, {0});
  const uint32_t relu = net.parameter<int8_t>(OH_NN_CONV2D_ACTIVATION_TYPE, OH_NN_INT8, {OH_NN_FUSED_RELU});
  const uint32_t y = net.tensor("convolved", {1, size, size, out});
  net.operation(OH_NN_OPS_CONV2D, {x, weight, bias}, {same, relu}, {y});
  return y;
}

// Halves height and width.
uint32_t max_pool(Composer& net, uint32_t x, int32_t size, int32_t channels) {
  const uint32_t kernel = net.parameter<int64_t>(OH_NN_MAX_POOL_KERNEL_SIZE, OH_NN_INT64, {2, 2});
  const uint32_t stride = net.parameter<int64_t>(OH_NN_MAX_POOL_STRIDE, OH_NN_INT64, {2, 2});
  const uint32_t y = net.tensor("pooled", {1, size / 2, size / 2, channels});
  net.operation(OH_NN_OPS_MAX_POOL, {x}, {kernel, stride}, {y});
  return y;
}

uint32_t full_connection(Composer& net, uint32_t x, int32_t in, int32_t out, OH_NN_FuseType activation) {
  const uint32_t weight = net.weights("weight", {out, in});
  const uint32_t bias = net.weights("bias", {out});
  const uint32_t fused = net.parameter<int8_t>(OH_NN_FULL_CONNECTION_ACTIVATIONTYPE, OH_NN_INT8,
                                               {static_cast<int8_t>(activation)});
  const uint32_t y = net.tensor("connected", {1, out});
  net.operation(OH_NN_OPS_FULL_CONNECTION, {x, weight, bias}, {fused}, {y});
  return y;
}

}  // namespace

Model make_digits_model(const std::string& weights_file) {
  Composer net(weights_file);
  const uint32_t image = net.tensor("image", {1, 8, 8, 1});

  // 0..16 becomes -1..1.
  const uint32_t scaled = net.tensor("scaled", {1, 8, 8, 1});
  net.operation(OH_NN_OPS_MUL, {image, net.constant<float>("1/8", {1}, OH_NN_FLOAT32, {0.125f})}, {},
                {scaled});
  const uint32_t centred = net.tensor("centred", {1, 8, 8, 1});
  net.operation(OH_NN_OPS_SUB, {scaled, net.constant<float>("1", {1}, OH_NN_FLOAT32, {1.0f})}, {}, {centred});

  uint32_t x = convolution(net, centred, 8, 1, 32);
  x = convolution(net, x, 8, 32, 32);
  x = max_pool(net, x, 8, 32);
  x = convolution(net, x, 4, 32, 64);
  x = max_pool(net, x, 4, 64);

  const uint32_t flat = net.tensor("flat", {1, 256});
  net.operation(OH_NN_OPS_RESHAPE, {x, net.constant<int32_t>("shape", {2}, OH_NN_INT32, {1, 256})}, {},
                {flat});
  x = full_connection(net, flat, 256, 64, OH_NN_FUSED_RELU);
  x = full_connection(net, x, 64, 10, OH_NN_FUSED_NONE);

  const uint32_t probabilities = net.tensor("probabilities", {1, 10});
  net.operation(OH_NN_OPS_SOFTMAX, {x}, {}, {probabilities});
  return net.finish({image}, {probabilities});
}
