// RAII handles, and the small models used by the API tests.
#pragma once

#include <neural_network_runtime/neural_network_runtime.h>

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace api_tests {

struct Destroyer {
  void operator()(NN_TensorDesc* p) const { OH_NNTensorDesc_Destroy(&p); }
  void operator()(NN_Tensor* p) const { OH_NNTensor_Destroy(&p); }
  void operator()(NN_QuantParam* p) const { OH_NNQuantParam_Destroy(&p); }
  void operator()(OH_NNModel* p) const { OH_NNModel_Destroy(&p); }
  void operator()(OH_NNCompilation* p) const { OH_NNCompilation_Destroy(&p); }
  void operator()(OH_NNExecutor* p) const { OH_NNExecutor_Destroy(&p); }
};
using Desc = std::unique_ptr<NN_TensorDesc, Destroyer>;
using Tensor = std::unique_ptr<NN_Tensor, Destroyer>;
using QuantParam = std::unique_ptr<NN_QuantParam, Destroyer>;
using Model = std::unique_ptr<OH_NNModel, Destroyer>;
using Compilation = std::unique_ptr<OH_NNCompilation, Destroyer>;
using Executor = std::unique_ptr<OH_NNExecutor, Destroyer>;

// Any number as an enumerator, as a C client can pass it.
template <typename Enum>
Enum any(int number) {
  return static_cast<Enum>(number);
}

// The list is not modified; only the interface lacks const.
struct Indices : OH_NN_UInt32Array {
  Indices(std::initializer_list<uint32_t> list) : Indices(std::vector(list)) {}
  Indices(std::vector<uint32_t> list) : numbers(std::move(list)) {
    data = numbers.empty() ? nullptr : numbers.data();
    size = static_cast<uint32_t>(numbers.size());
  }
  Indices(const Indices&) = delete;
  std::vector<uint32_t> numbers;
};

inline Desc desc_of(std::vector<int32_t> shape, OH_NN_DataType type = OH_NN_FLOAT32, const char* name = "") {
  Desc desc(OH_NNTensorDesc_Create());
  OH_NNTensorDesc_SetDataType(desc.get(), type);
  OH_NNTensorDesc_SetName(desc.get(), name);
  if (!shape.empty()) OH_NNTensorDesc_SetShape(desc.get(), shape.data(), shape.size());
  return desc;
}

inline std::vector<int32_t> shape_of(const NN_TensorDesc* desc) {
  int32_t* shape = nullptr;
  size_t length = 0;
  EXPECT_EQ(OH_NNTensorDesc_GetShape(desc, &shape, &length), OH_NN_SUCCESS);
  return {shape, shape + length};
}

inline std::vector<int32_t> output_shape(OH_NNExecutor* executor, uint32_t index = 0) {
  int32_t* shape = nullptr;
  uint32_t length = 0;
  EXPECT_EQ(OH_NNExecutor_GetOutputShape(executor, index, &shape, &length), OH_NN_SUCCESS);
  EXPECT_NE(shape, nullptr);
  return {shape, shape + length};
}

inline std::string name_of(const NN_TensorDesc* desc) {
  const char* name = nullptr;
  EXPECT_EQ(OH_NNTensorDesc_GetName(desc, &name), OH_NN_SUCCESS);
  return name;
}
inline size_t size_of(const Tensor& tensor) {
  size_t size = 0;
  EXPECT_EQ(OH_NNTensor_GetSize(tensor.get(), &size), OH_NN_SUCCESS);
  return size;
}
inline int fd_of(const Tensor& tensor) {
  int fd = -1;
  EXPECT_EQ(OH_NNTensor_GetFd(tensor.get(), &fd), OH_NN_SUCCESS);
  return fd;
}

inline std::vector<size_t> device_ids() {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(OH_NNDevice_GetAllDevicesID(&ids, &count), OH_NN_SUCCESS);
  return {ids, ids + count};
}
inline const char* device_name(size_t id) {
  const char* name = nullptr;
  EXPECT_EQ(OH_NNDevice_GetName(id, &name), OH_NN_SUCCESS);
  return name;
}
inline OH_NN_DeviceType device_type(size_t id) {
  OH_NN_DeviceType type{};
  EXPECT_EQ(OH_NNDevice_GetType(id, &type), OH_NN_SUCCESS);
  return type;
}
inline std::vector<bool> available(OH_NNModel* model, size_t device) {
  const bool* flags = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(OH_NNModel_GetAvailableOperations(model, device, &flags, &count), OH_NN_SUCCESS);
  return std::vector<bool>(flags, flags + count);
}
inline std::vector<bool> available(const Model& model, size_t device) {
  return available(model.get(), device);
}

// The text that a function writes to a buffer of a size, or whose length it tells if there is no buffer.
template <typename Write>
std::string text_of(const Write& write) {
  size_t length = 0;
  EXPECT_EQ(write(nullptr, 0, &length), OH_NN_SUCCESS);
  std::string text(length + 1, '?');
  EXPECT_EQ(write(text.data(), text.size(), &length), OH_NN_SUCCESS);
  EXPECT_EQ(text.find('\0'), length);
  text.resize(length);
  return text;
}

// A model of float tensors without operations.
inline Model with_tensors(int count, const std::vector<int32_t>& shape = {2}) {
  Model model(OH_NNModel_Construct());
  for (int i = 0; i < count; ++i) OH_NNModel_AddTensorToModel(model.get(), desc_of(shape).get());
  return model;
}

inline void add_operation(const Model& model, OH_NN_OperationType op, const Indices& inputs,
                          const Indices& outputs) {
  const Indices none{};
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), op, &none, &inputs, &outputs), OH_NN_SUCCESS);
}

inline void finish(const Model& model, const Indices& inputs, const Indices& outputs) {
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &outputs), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
}

// y = relu(a + b), with tensors 0 a, 1 b, 2 sum, 3 y of one shape; not finished.
inline Model open_model(const std::vector<int32_t>& shape, OH_NN_DataType type = OH_NN_FLOAT32) {
  Model model(OH_NNModel_Construct());
  for (const char* name : {"a", "b", "sum", "y"}) {
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(shape, type, name).get()), OH_NN_SUCCESS);
  }
  add_operation(model, OH_NN_OPS_ADD, {0, 1}, {2});
  add_operation(model, OH_NN_OPS_RELU, {2}, {3});
  const Indices a_b{0, 1}, y{3};
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &a_b, &y), OH_NN_SUCCESS);
  return model;
}

inline Model finished_model(const std::vector<int32_t>& shape, OH_NN_DataType type = OH_NN_FLOAT32) {
  Model model = open_model(shape, type);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  return model;
}

inline Compilation built(const Model& model) {
  Compilation compilation(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return compilation;
}

inline Executor executor_for(const Model& model) {
  return Executor(OH_NNExecutor_Construct(built(model).get()));
}

inline Compilation built_compilation(const std::vector<int32_t>& shape, OH_NN_DataType type = OH_NN_FLOAT32) {
  return built(finished_model(shape, type));
}

inline Executor executor_of(const std::vector<int32_t>& shape, OH_NN_DataType type = OH_NN_FLOAT32) {
  return executor_for(finished_model(shape, type));
}

inline Tensor tensor_of(const std::vector<int32_t>& shape, const std::vector<float>& values = {}) {
  Tensor tensor(OH_NNTensor_Create(0, desc_of(shape).get()));
  EXPECT_NE(tensor, nullptr);
  if (tensor && !values.empty()) {
    std::memcpy(OH_NNTensor_GetDataBuffer(tensor.get()), values.data(), values.size() * sizeof(float));
  }
  return tensor;
}

inline std::vector<float> values_of(const Tensor& tensor, size_t count) {
  const auto* data = static_cast<const float*>(OH_NNTensor_GetDataBuffer(tensor.get()));
  return {data, data + count};
}

inline OH_NN_ReturnCode run(OH_NNExecutor* executor, std::vector<NN_Tensor*> inputs,
                            std::vector<NN_Tensor*> outputs) {
  return OH_NNExecutor_RunSync(executor, inputs.data(), inputs.size(), outputs.data(), outputs.size());
}

// An API 9 tensor. The caller owns its dimensions.
inline OH_NN_Tensor legacy_tensor(const std::vector<int32_t>& shape, OH_NN_DataType type = OH_NN_FLOAT32) {
  return {type, static_cast<uint32_t>(shape.size()), shape.empty() ? nullptr : shape.data(), nullptr,
          OH_NN_TENSOR};
}

}  // namespace api_tests
