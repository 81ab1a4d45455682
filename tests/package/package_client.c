/* A client from outside: adds two vectors on the first device. Includes the headers in both ways that clients
 * use. */
#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>

#include <stdio.h>
#include <string.h>

enum { kCount = 5 };

static int add_vector(OH_NNModel* model) {
  const int32_t shape[] = {kCount};
  NN_TensorDesc* desc = OH_NNTensorDesc_Create();
  const int added = OH_NNTensorDesc_SetShape(desc, shape, 1) == OH_NN_SUCCESS &&
                    OH_NNTensorDesc_SetDataType(desc, OH_NN_FLOAT32) == OH_NN_SUCCESS &&
                    OH_NNModel_AddTensorToModel(model, desc) == OH_NN_SUCCESS;
  OH_NNTensorDesc_Destroy(&desc);
  return added;
}

static OH_NNCompilation* compile_sum(void) {
  uint32_t input_numbers[] = {0, 1}, output_numbers[] = {2};
  const OH_NN_UInt32Array parameters = {NULL, 0}, inputs = {input_numbers, 2}, outputs = {output_numbers, 1};
  OH_NNModel* model = OH_NNModel_Construct();
  OH_NNCompilation* compilation = NULL;
  if (add_vector(model) && add_vector(model) && add_vector(model) &&
      OH_NNModel_AddOperation(model, OH_NN_OPS_ADD, &parameters, &inputs, &outputs) == OH_NN_SUCCESS &&
      OH_NNModel_SpecifyInputsAndOutputs(model, &inputs, &outputs) == OH_NN_SUCCESS &&
      OH_NNModel_Finish(model) == OH_NN_SUCCESS) {
    compilation = OH_NNCompilation_Construct(model);
    if (OH_NNCompilation_Build(compilation) != OH_NN_SUCCESS) OH_NNCompilation_Destroy(&compilation);
  }
  OH_NNModel_Destroy(&model);
  return compilation;
}

static int run(OH_NNExecutor* executor) {
  NN_Tensor* tensors[3];
  for (size_t i = 0; i < 3; ++i) {
    NN_TensorDesc* desc = i < 2 ? OH_NNExecutor_CreateInputTensorDesc(executor, i)
                                : OH_NNExecutor_CreateOutputTensorDesc(executor, 0);
    tensors[i] = OH_NNTensor_Create(0, desc);
    OH_NNTensorDesc_Destroy(&desc);
  }
  const float a[kCount] = {1, 2, 3, 4, 5}, b[kCount] = {10, 20, 30, 40, 50};
  memcpy(OH_NNTensor_GetDataBuffer(tensors[0]), a, sizeof a);
  memcpy(OH_NNTensor_GetDataBuffer(tensors[1]), b, sizeof b);
  int right = OH_NNExecutor_RunSync(executor, tensors, 2, &tensors[2], 1) == OH_NN_SUCCESS;
  const float* sums = OH_NNTensor_GetDataBuffer(tensors[2]);
  for (int i = 0; i < kCount; ++i) {
    printf("%g + %g = %g\n", a[i], b[i], sums[i]);
    right = right && sums[i] == a[i] + b[i];
  }
  for (size_t i = 0; i < 3; ++i) OH_NNTensor_Destroy(&tensors[i]);
  return right;
}

int main(void) {
  const char* name = NULL;
  if (OH_NNDevice_GetName(0, &name) != OH_NN_SUCCESS) return 1;
  printf("%s\n", name);
  OH_NNCompilation* compilation = compile_sum();
  if (compilation == NULL) return 1;
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  OH_NNCompilation_Destroy(&compilation);
  const int right = executor != NULL && run(executor);
  OH_NNExecutor_Destroy(&executor);
  return right ? 0 : 1;
}
