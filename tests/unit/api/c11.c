/* The headers, read by a C compiler in both spellings. */
#include "neural_network_core.h"

#include <neural_network_runtime/neural_network_runtime.h>
#include <neural_network_runtime/nnrt_extensions.h>

_Static_assert(sizeof(OH_NN_ReturnCode) == sizeof(int), "enumerations have the size of int in C");
_Static_assert(sizeof(OH_NN_FuseType) == sizeof(int), "enumerations have the size of int in C");
_Static_assert(sizeof(OH_NN_UInt32Array) == 16, "LP64 layout");
_Static_assert(sizeof(OH_NN_QuantParam) == 32, "LP64 layout");
_Static_assert(sizeof(OH_NN_Tensor) == 32, "LP64 layout");
_Static_assert(sizeof(OH_NN_Memory) == 16, "LP64 layout");

OH_NN_ReturnCode make_and_destroy_from_c(void);

OH_NN_ReturnCode make_and_destroy_from_c(void) {
  NN_TensorDesc* desc = OH_NNTensorDesc_Create();
  OH_NNModel* model = OH_NNModel_Construct();
  OH_NNModel_Destroy(&model);
  return model == NULL ? OH_NNTensorDesc_Destroy(&desc) : OH_NN_FAILED;
}
