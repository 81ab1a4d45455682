/* The header, read by a C compiler. */
#include <neural_network_runtime/nnrt_import.h>

_Static_assert(sizeof(OH_NNRt_InputShape) == 24, "LP64 layout");
_Static_assert(sizeof(OH_NNRt_ImportOptions) == 40, "LP64 layout");
_Static_assert(sizeof(OH_NNRt_TensorInfo) == 64, "LP64 layout");

OH_NN_ReturnCode import_from_c(const char* path);

OH_NN_ReturnCode import_from_c(const char* path) {
  OH_NNRt_ImportedModel* model = NULL;
  const OH_NN_ReturnCode code = OH_NNRt_ImportModel(path, NULL, &model);
  OH_NNRt_ImportedModel_Destroy(&model);
  return code;
}
