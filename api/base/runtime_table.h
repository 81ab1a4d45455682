// The entry point through which libneural_network_runtime calls libneural_network_core: one function that
// returns a table. Internal.
#pragma once

#include <neural_network_runtime/neural_network_runtime.h>

namespace nnrt {

struct QuantParamFunctions {
  decltype(&OH_NNQuantParam_Create) create;
  decltype(&OH_NNQuantParam_SetScales) set_scales;
  decltype(&OH_NNQuantParam_SetZeroPoints) set_zero_points;
  decltype(&OH_NNQuantParam_SetNumBits) set_num_bits;
  decltype(&OH_NNQuantParam_Destroy) destroy;
};

struct ModelFunctions {
  decltype(&OH_NNModel_Construct) construct;
  decltype(&OH_NNModel_AddTensorToModel) add_tensor_to_model;
  decltype(&OH_NNModel_SetTensorData) set_tensor_data;
  decltype(&OH_NNModel_SetTensorQuantParams) set_tensor_quant_params;
  decltype(&OH_NNModel_SetTensorType) set_tensor_type;
  decltype(&OH_NNModel_AddOperation) add_operation;
  decltype(&OH_NNModel_SpecifyInputsAndOutputs) specify_inputs_and_outputs;
  decltype(&OH_NNModel_Finish) finish;
  decltype(&OH_NNModel_Destroy) destroy;
  decltype(&OH_NNModel_GetAvailableOperations) get_available_operations;
};

struct LegacyFunctions {
  decltype(&OH_NNModel_AddTensor) add_tensor;
  decltype(&OH_NNExecutor_SetInput) set_input;
  decltype(&OH_NNExecutor_SetOutput) set_output;
  decltype(&OH_NNExecutor_Run) run;
  decltype(&OH_NNExecutor_AllocateInputMemory) allocate_input_memory;
  decltype(&OH_NNExecutor_AllocateOutputMemory) allocate_output_memory;
  decltype(&OH_NNExecutor_DestroyInputMemory) destroy_input_memory;
  decltype(&OH_NNExecutor_DestroyOutputMemory) destroy_output_memory;
  decltype(&OH_NNExecutor_SetInputWithMemory) set_input_with_memory;
  decltype(&OH_NNExecutor_SetOutputWithMemory) set_output_with_memory;
};

// Each is defined next to its functions.
extern const QuantParamFunctions kQuantParamFunctions;
extern const ModelFunctions kModelFunctions;
extern const LegacyFunctions kLegacyFunctions;

struct RuntimeTable {
  const QuantParamFunctions* quant_param;
  const ModelFunctions* model;
  const LegacyFunctions* legacy;
};

}  // namespace nnrt

// The name contains the table's version, so that mismatched libraries fail to load.
extern "C" __attribute__((visibility("default"))) const nnrt::RuntimeTable* OH_NNRt_RuntimeTable_1() noexcept;
