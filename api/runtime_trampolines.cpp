// libneural_network_runtime: 25 functions that jump into libneural_network_core.
#include "api/base/runtime_table.h"

namespace {

const nnrt::QuantParamFunctions& quant_param() { return *OH_NNRt_RuntimeTable_1()->quant_param; }
const nnrt::ModelFunctions& model_functions() { return *OH_NNRt_RuntimeTable_1()->model; }
const nnrt::LegacyFunctions& legacy() { return *OH_NNRt_RuntimeTable_1()->legacy; }

}  // namespace

NN_QuantParam* OH_NNQuantParam_Create() { return quant_param().create(); }

OH_NN_ReturnCode OH_NNQuantParam_SetScales(NN_QuantParam* quantParams, const double* scales,
                                           size_t quantCount) {
  return quant_param().set_scales(quantParams, scales, quantCount);
}

OH_NN_ReturnCode OH_NNQuantParam_SetZeroPoints(NN_QuantParam* quantParams, const int32_t* zeroPoints,
                                               size_t quantCount) {
  return quant_param().set_zero_points(quantParams, zeroPoints, quantCount);
}

OH_NN_ReturnCode OH_NNQuantParam_SetNumBits(NN_QuantParam* quantParams, const uint32_t* numBits,
                                            size_t quantCount) {
  return quant_param().set_num_bits(quantParams, numBits, quantCount);
}

OH_NN_ReturnCode OH_NNQuantParam_Destroy(NN_QuantParam** quantParams) {
  return quant_param().destroy(quantParams);
}

OH_NNModel* OH_NNModel_Construct() { return model_functions().construct(); }

OH_NN_ReturnCode OH_NNModel_AddTensorToModel(OH_NNModel* model, const NN_TensorDesc* tensorDesc) {
  return model_functions().add_tensor_to_model(model, tensorDesc);
}

OH_NN_ReturnCode OH_NNModel_SetTensorData(OH_NNModel* model, uint32_t index, const void* dataBuffer,
                                          size_t length) {
  return model_functions().set_tensor_data(model, index, dataBuffer, length);
}

OH_NN_ReturnCode OH_NNModel_SetTensorQuantParams(OH_NNModel* model, uint32_t index,
                                                 NN_QuantParam* quantParam) {
  return model_functions().set_tensor_quant_params(model, index, quantParam);
}

OH_NN_ReturnCode OH_NNModel_SetTensorType(OH_NNModel* model, uint32_t index, OH_NN_TensorType tensorType) {
  return model_functions().set_tensor_type(model, index, tensorType);
}

OH_NN_ReturnCode OH_NNModel_AddOperation(OH_NNModel* model, OH_NN_OperationType op,
                                         const OH_NN_UInt32Array* paramIndices,
                                         const OH_NN_UInt32Array* inputIndices,
                                         const OH_NN_UInt32Array* outputIndices) {
  return model_functions().add_operation(model, op, paramIndices, inputIndices, outputIndices);
}

OH_NN_ReturnCode OH_NNModel_SpecifyInputsAndOutputs(OH_NNModel* model, const OH_NN_UInt32Array* inputIndices,
                                                    const OH_NN_UInt32Array* outputIndices) {
  return model_functions().specify_inputs_and_outputs(model, inputIndices, outputIndices);
}

OH_NN_ReturnCode OH_NNModel_Finish(OH_NNModel* model) { return model_functions().finish(model); }

void OH_NNModel_Destroy(OH_NNModel** model) { model_functions().destroy(model); }

OH_NN_ReturnCode OH_NNModel_GetAvailableOperations(OH_NNModel* model, size_t deviceID,
                                                   const bool** isSupported, uint32_t* opCount) {
  return model_functions().get_available_operations(model, deviceID, isSupported, opCount);
}

OH_NN_ReturnCode OH_NNModel_AddTensor(OH_NNModel* model, const OH_NN_Tensor* tensor) {
  return legacy().add_tensor(model, tensor);
}

OH_NN_ReturnCode OH_NNExecutor_SetInput(OH_NNExecutor* executor, uint32_t inputIndex,
                                        const OH_NN_Tensor* tensor, const void* dataBuffer, size_t length) {
  return legacy().set_input(executor, inputIndex, tensor, dataBuffer, length);
}

OH_NN_ReturnCode OH_NNExecutor_SetOutput(OH_NNExecutor* executor, uint32_t outputIndex, void* dataBuffer,
                                         size_t length) {
  return legacy().set_output(executor, outputIndex, dataBuffer, length);
}

OH_NN_ReturnCode OH_NNExecutor_Run(OH_NNExecutor* executor) { return legacy().run(executor); }

OH_NN_Memory* OH_NNExecutor_AllocateInputMemory(OH_NNExecutor* executor, uint32_t inputIndex, size_t length) {
  return legacy().allocate_input_memory(executor, inputIndex, length);
}

OH_NN_Memory* OH_NNExecutor_AllocateOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                 size_t length) {
  return legacy().allocate_output_memory(executor, outputIndex, length);
}

void OH_NNExecutor_DestroyInputMemory(OH_NNExecutor* executor, uint32_t inputIndex, OH_NN_Memory** memory) {
  legacy().destroy_input_memory(executor, inputIndex, memory);
}

void OH_NNExecutor_DestroyOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex, OH_NN_Memory** memory) {
  legacy().destroy_output_memory(executor, outputIndex, memory);
}

OH_NN_ReturnCode OH_NNExecutor_SetInputWithMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                  const OH_NN_Tensor* tensor, const OH_NN_Memory* memory) {
  return legacy().set_input_with_memory(executor, inputIndex, tensor, memory);
}

OH_NN_ReturnCode OH_NNExecutor_SetOutputWithMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                   const OH_NN_Memory* memory) {
  return legacy().set_output_with_memory(executor, outputIndex, memory);
}
