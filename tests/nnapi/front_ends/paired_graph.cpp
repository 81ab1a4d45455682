#include "tests/nnapi/front_ends/paired_graph.h"

#include "core/base/bytes_of.h"

#include <cstring>
#include <functional>
#include <numeric>

namespace nnrt::front_ends {
namespace {

std::vector<int32_t> signed_shape(const Shape& shape) { return {shape.begin(), shape.end()}; }

struct Numbers : OH_NN_UInt32Array {
  explicit Numbers(std::vector<uint32_t> list) : numbers(std::move(list)) {
    data = numbers.empty() ? nullptr : numbers.data();
    size = uint32_t(numbers.size());
  }
  std::vector<uint32_t> numbers;
};

}  // namespace

size_t Paired::elements() const {
  return std::accumulate(shape.begin(), shape.end(), size_t{1}, std::multiplies<>());
}

PairedGraph::PairedGraph(Kind kind) : kind_(kind), oh_(OH_NNModel_Construct()) {
  ANeuralNetworksModel* model = nullptr;
  EXPECT_EQ(ANeuralNetworksModel_create(&model), ANEURALNETWORKS_NO_ERROR);
  nn_.reset(model);
}

uint32_t PairedGraph::add_operand(int32_t code, const Shape& shape, float scale, int32_t zero_point) {
  const ANeuralNetworksOperandType type{code, uint32_t(shape.size()), shape.empty() ? nullptr : shape.data(),
                                        scale, zero_point};
  EXPECT_EQ(ANeuralNetworksModel_addOperand(nn_.get(), &type), ANEURALNETWORKS_NO_ERROR);
  return nn_count_++;
}

uint32_t PairedGraph::add_oh_tensor(OH_NN_DataType type, const Shape& shape) {
  const api_tests::Desc desc = api_tests::desc_of(signed_shape(shape), type);
  OH_NNTensorDesc_SetFormat(desc.get(), OH_NN_FORMAT_NHWC);
  EXPECT_EQ(OH_NNModel_AddTensorToModel(oh_.get(), desc.get()), OH_NN_SUCCESS);
  return oh_count_++;
}

Paired PairedGraph::tensor(const Shape& shape, float scale, int32_t zero_point) {
  const bool is_float = kind_ == Kind::floats;
  Paired paired{add_oh_tensor(is_float ? OH_NN_FLOAT32 : OH_NN_INT8, shape), 0, shape};
  if (is_float) {
    paired.nn = add_operand(ANEURALNETWORKS_TENSOR_FLOAT32, shape, 0, 0);
    return paired;
  }
  paired.nn = add_operand(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, shape, scale, zero_point);
  const api_tests::QuantParam quant(OH_NNQuantParam_Create());
  const double wide = double(scale);
  const uint32_t bits = 8;
  OH_NNQuantParam_SetScales(quant.get(), &wide, 1);
  OH_NNQuantParam_SetZeroPoints(quant.get(), &zero_point, 1);
  OH_NNQuantParam_SetNumBits(quant.get(), &bits, 1);
  EXPECT_EQ(OH_NNModel_SetTensorQuantParams(oh_.get(), paired.oh, quant.get()), OH_NN_SUCCESS);
  return paired;
}

Paired PairedGraph::bias(const std::vector<int32_t>& values, float scale) {
  const Shape shape{uint32_t(values.size())};
  if (kind_ == Kind::floats) {
    const Paired paired = tensor(shape);
    std::vector<float> floats(values.begin(), values.end());
    for (float& x : floats) x *= 0.01f;
    set_data(paired, bytes_of(floats));
    return paired;
  }
  const Paired paired{add_oh_tensor(OH_NN_INT32, shape),
                      add_operand(ANEURALNETWORKS_TENSOR_INT32, shape, scale, 0), shape};
  set_data(paired, bytes_of(values));
  return paired;
}

void PairedGraph::set_data(const Paired& paired, const std::vector<std::byte>& data) {
  kept_.push_back(data);
  const std::vector<std::byte>& kept = kept_.back();
  EXPECT_EQ(OH_NNModel_SetTensorData(oh_.get(), paired.oh, kept.data(), kept.size()), OH_NN_SUCCESS);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(nn_.get(), int32_t(paired.nn), kept.data(), kept.size()),
            ANEURALNETWORKS_NO_ERROR);
}

uint32_t PairedGraph::oh_integers(const std::vector<int64_t>& values) {
  const uint32_t number = add_oh_tensor(OH_NN_INT64, {uint32_t(values.size())});
  const auto bytes = bytes_of(values);
  EXPECT_EQ(OH_NNModel_SetTensorData(oh_.get(), number, bytes.data(), bytes.size()), OH_NN_SUCCESS);
  return number;
}

uint32_t PairedGraph::nn_integers(const std::vector<int32_t>& values) {
  const uint32_t number = add_operand(ANEURALNETWORKS_TENSOR_INT32, {uint32_t(values.size())}, 0, 0);
  ANeuralNetworksModel_setOperandValue(nn_.get(), int32_t(number), values.data(), values.size() * 4);
  return number;
}

uint32_t PairedGraph::nn_scalar(int32_t value) {
  const uint32_t number = add_operand(ANEURALNETWORKS_INT32, {}, 0, 0);
  ANeuralNetworksModel_setOperandValue(nn_.get(), int32_t(number), &value, sizeof(value));
  return number;
}

uint32_t PairedGraph::nn_scalar(float value) {
  const uint32_t number = add_operand(ANEURALNETWORKS_FLOAT32, {}, 0, 0);
  ANeuralNetworksModel_setOperandValue(nn_.get(), int32_t(number), &value, sizeof(value));
  return number;
}

uint32_t PairedGraph::nn_flag(bool value) {
  const uint32_t number = add_operand(ANEURALNETWORKS_BOOL, {}, 0, 0);
  const uint8_t byte = value ? 1 : 0;
  ANeuralNetworksModel_setOperandValue(nn_.get(), int32_t(number), &byte, sizeof(byte));
  return number;
}

void PairedGraph::add_oh(OH_NN_OperationType type, const std::vector<uint32_t>& inputs,
                         const std::vector<ParameterOf>& parameters, const Paired& output) {
  std::vector<uint32_t> numbers;
  for (const ParameterOf& parameter : parameters) {
    const uint32_t number = add_oh_tensor(parameter.type, {uint32_t(parameter.values.size())});
    EXPECT_EQ(OH_NNModel_SetTensorType(oh_.get(), number, parameter.role), OH_NN_SUCCESS);
    const bool is_byte = parameter.type == OH_NN_INT8 || parameter.type == OH_NN_BOOL;
    const std::vector<int8_t> narrow(parameter.values.begin(), parameter.values.end());
    const auto bytes = is_byte ? bytes_of(narrow) : bytes_of(parameter.values);
    EXPECT_EQ(OH_NNModel_SetTensorData(oh_.get(), number, bytes.data(), bytes.size()), OH_NN_SUCCESS);
    numbers.push_back(number);
  }
  const Numbers params(numbers), in(inputs), out({output.oh});
  ASSERT_EQ(OH_NNModel_AddOperation(oh_.get(), type, &params, &in, &out), OH_NN_SUCCESS);
}

void PairedGraph::add_nn(int32_t code, const std::vector<uint32_t>& inputs, const Paired& output) {
  ASSERT_EQ(ANeuralNetworksModel_addOperation(nn_.get(), code, uint32_t(inputs.size()), inputs.data(), 1,
                                              &output.nn),
            ANEURALNETWORKS_NO_ERROR)
      << "operation " << code;
}

void PairedGraph::finish(const Paired& input, const Paired& output) {
  input_ = input;
  output_ = output;
  const Numbers in({input.oh}), out({output.oh});
  ASSERT_EQ(OH_NNModel_SpecifyInputsAndOutputs(oh_.get(), &in, &out), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNModel_Finish(oh_.get()), OH_NN_SUCCESS);
  ASSERT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(nn_.get(), 1, &input.nn, 1, &output.nn),
            ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(ANeuralNetworksModel_finish(nn_.get()), ANEURALNETWORKS_NO_ERROR);
}

std::vector<std::byte> PairedGraph::run_oh(const std::vector<std::byte>& input, bool on_gpu) {
  const std::vector<size_t> ids = api_tests::device_ids();
  const size_t device = on_gpu ? ids.front() : ids.back();  // the last one is the auto device
  const api_tests::Compilation compilation(OH_NNCompilation_Construct(oh_.get()));
  EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  const api_tests::Executor executor(OH_NNExecutor_Construct(compilation.get()));
  const auto make = [&](const Paired& paired) {
    const bool is_float = kind_ == Kind::floats;
    const api_tests::Desc desc =
        api_tests::desc_of(signed_shape(paired.shape), is_float ? OH_NN_FLOAT32 : OH_NN_INT8);
    return api_tests::Tensor(OH_NNTensor_Create(device, desc.get()));
  };
  const api_tests::Tensor from = make(input_), to = make(output_);
  std::memcpy(OH_NNTensor_GetDataBuffer(from.get()), input.data(), input.size());
  NN_Tensor *inputs[] = {from.get()}, *outputs[] = {to.get()};
  EXPECT_EQ(OH_NNExecutor_RunSync(executor.get(), inputs, 1, outputs, 1), OH_NN_SUCCESS);
  const auto* const data = static_cast<const std::byte*>(OH_NNTensor_GetDataBuffer(to.get()));
  return {data, data + output_.elements() * element_bytes()};
}

std::vector<std::byte> PairedGraph::run_nn(const std::vector<std::byte>& input, bool on_gpu) {
  ANeuralNetworksCompilation* compilation = nullptr;
  ANeuralNetworksDevice* device = nullptr;
  ANeuralNetworks_getDevice(0, &device);
  const ANeuralNetworksDevice* const devices[] = {device};
  const int created = on_gpu
                          ? ANeuralNetworksCompilation_createForDevices(nn_.get(), devices, 1, &compilation)
                          : ANeuralNetworksCompilation_create(nn_.get(), &compilation);
  EXPECT_EQ(created, ANEURALNETWORKS_NO_ERROR);
  const std::unique_ptr<ANeuralNetworksCompilation, Freer> own_compilation(compilation);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksExecution* execution = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation, &execution), ANEURALNETWORKS_NO_ERROR);
  const std::unique_ptr<ANeuralNetworksExecution, Freer> own_execution(execution);
  std::vector<std::byte> output(output_.elements() * element_bytes());
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution, 0, nullptr, input.data(), input.size()),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution, 0, nullptr, output.data(), output.size()),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution), ANEURALNETWORKS_NO_ERROR);
  return output;
}

}  // namespace nnrt::front_ends
