/* A client of NNAPI from outside: adds two vectors. */
#include <android/NeuralNetworks.h>
#include <stdio.h>

#define CHECK(call)                                     \
  do {                                                  \
    const int code = (call);                            \
    if (code != ANEURALNETWORKS_NO_ERROR) {             \
      fprintf(stderr, "%s returned %d\n", #call, code); \
      return 1;                                         \
    }                                                   \
  } while (0)

int main(void) {
  const uint32_t dimension = 2, inputs[] = {0, 1, 2}, output = 3, arguments[] = {0, 1};
  const ANeuralNetworksOperandType vector = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &dimension, 0, 0};
  const ANeuralNetworksOperandType scalar = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
  const int32_t fuse = ANEURALNETWORKS_FUSED_NONE;
  const float a[] = {1, 2}, b[] = {10, 20};
  float sum[2] = {0, 0};
  ANeuralNetworksModel* model = NULL;
  ANeuralNetworksCompilation* compilation = NULL;
  ANeuralNetworksExecution* execution = NULL;
  CHECK(ANeuralNetworksModel_create(&model));
  CHECK(ANeuralNetworksModel_addOperand(model, &vector));
  CHECK(ANeuralNetworksModel_addOperand(model, &vector));
  CHECK(ANeuralNetworksModel_addOperand(model, &scalar));
  CHECK(ANeuralNetworksModel_addOperand(model, &vector));
  CHECK(ANeuralNetworksModel_setOperandValue(model, 2, &fuse, sizeof fuse));
  CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &output));
  CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, arguments, 1, &output));
  CHECK(ANeuralNetworksModel_finish(model));
  CHECK(ANeuralNetworksCompilation_create(model, &compilation));
  CHECK(ANeuralNetworksCompilation_finish(compilation));
  CHECK(ANeuralNetworksExecution_create(compilation, &execution));
  CHECK(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a));
  CHECK(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b));
  CHECK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum, sizeof sum));
  CHECK(ANeuralNetworksExecution_compute(execution));
  ANeuralNetworksExecution_free(execution);
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(model);
  return sum[0] == 11 && sum[1] == 22 ? 0 : 1;
}
