#include "tests/mindspore/client_run.h"

#include "tests/unit/api/api_test_handles.h"

#include <algorithm>

namespace nnrt::test {
namespace {

using namespace api_tests;

OH_NN_UInt32Array array_of(const std::vector<uint32_t>& indices) {
  return {indices.empty() ? nullptr : const_cast<uint32_t*>(indices.data()), uint32_t(indices.size())};
}

Desc desc_of(const conformance::Tensor& tensor) {
  Desc desc(OH_NNTensorDesc_Create());
  OH_NNTensorDesc_SetName(desc.get(), tensor.name.c_str());
  OH_NNTensorDesc_SetDataType(desc.get(), tensor.dataType);
  OH_NNTensorDesc_SetFormat(desc.get(), tensor.format);
  if (!tensor.shape.empty()) OH_NNTensorDesc_SetShape(desc.get(), tensor.shape.data(), tensor.shape.size());
  return desc;
}

bool add_tensor(OH_NNModel* model, uint32_t index, const conformance::Tensor& tensor) {
  bool ok = OH_NNModel_AddTensorToModel(model, desc_of(tensor).get()) == OH_NN_SUCCESS;
  ok = ok && OH_NNModel_SetTensorType(model, index, tensor.type) == OH_NN_SUCCESS;
  if (ok && tensor.quant) {
    const QuantParam quant(OH_NNQuantParam_Create());
    OH_NNQuantParam_SetScales(quant.get(), tensor.quant->scales.data(), tensor.quant->scales.size());
    OH_NNQuantParam_SetZeroPoints(quant.get(), tensor.quant->zeroPoints.data(),
                                  tensor.quant->zeroPoints.size());
    OH_NNQuantParam_SetNumBits(quant.get(), tensor.quant->bits.data(), tensor.quant->bits.size());
    ok = OH_NNModel_SetTensorQuantParams(model, index, quant.get()) == OH_NN_SUCCESS;
  }
  if (ok && tensor.data)
    ok = OH_NNModel_SetTensorData(model, index, tensor.data->data(), tensor.data->size()) == OH_NN_SUCCESS;
  return ok;
}

api_tests::Tensor tensor_for(NN_TensorDesc* desc, const conformance::Shape& shape) {
  const Desc owned(desc);
  if (!shape.empty()) OH_NNTensorDesc_SetShape(desc, shape.data(), shape.size());
  return api_tests::Tensor(OH_NNTensor_Create(api_tests::device_ids().at(0), desc));
}

std::vector<unsigned char> first_bytes(NN_Tensor* tensor, size_t count) {
  size_t bytes = 0;
  OH_NNTensor_GetSize(tensor, &bytes);
  const auto* const data = static_cast<const unsigned char*>(OH_NNTensor_GetDataBuffer(tensor));
  return {data, data + std::min(bytes, count)};
}

}  // namespace

OH_NNModel* compose_model(const conformance::Case& golden) {
  Model model(OH_NNModel_Construct());
  for (uint32_t i = 0; i < golden.tensors.size(); ++i)
    if (!add_tensor(model.get(), i, golden.tensors[i])) return nullptr;
  for (const conformance::Operation& operation : golden.operations) {
    const auto params = array_of(operation.params), inputs = array_of(operation.inputs),
               outputs = array_of(operation.outputs);
    if (OH_NNModel_AddOperation(model.get(), operation.type, &params, &inputs, &outputs) != OH_NN_SUCCESS)
      return nullptr;
  }
  const auto inputs = array_of(golden.inputs), outputs = array_of(golden.outputs);
  if (OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &outputs) != OH_NN_SUCCESS ||
      OH_NNModel_Finish(model.get()) != OH_NN_SUCCESS)
    return nullptr;
  return model.release();
}

Results run_model(OH_NNModel* owned, const conformance::Run& run) {
  Model model(owned);
  Compilation compilation(OH_NNCompilation_Construct(model.get()));
  if (OH_NNCompilation_Build(compilation.get()) != OH_NN_SUCCESS) return {"Build", {}};
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  compilation.reset();
  model.reset();
  std::vector<api_tests::Tensor> tensors;
  std::vector<NN_Tensor*> inputs, outputs;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    tensors.push_back(
        tensor_for(OH_NNExecutor_CreateInputTensorDesc(executor.get(), i), run.inputs[i].shape));
    inputs.push_back(tensors.back().get());
    if (inputs.back() == nullptr) return {"input", {}};
    const std::vector<unsigned char>& data = run.inputs[i].data;
    if (!data.empty()) std::memcpy(OH_NNTensor_GetDataBuffer(inputs.back()), data.data(), data.size());
  }
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    tensors.push_back(
        tensor_for(OH_NNExecutor_CreateOutputTensorDesc(executor.get(), i), run.outputs[i].shape));
    outputs.push_back(tensors.back().get());
    if (outputs.back() == nullptr) return {"output", {}};
  }
  if (OH_NNExecutor_RunSync(executor.get(), inputs.data(), inputs.size(), outputs.data(), outputs.size()) !=
      OH_NN_SUCCESS)
    return {"RunSync", {}};
  Results results;
  for (size_t i = 0; i < outputs.size(); ++i)
    results.outputs.push_back(first_bytes(outputs[i], run.outputs[i].data.size()));
  return results;
}

}  // namespace nnrt::test
