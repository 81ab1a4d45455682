/*
 * Runs a model file through the C API: lists its inputs and outputs, feeds ones and prints how each output
 * begins. A dimension that the file leaves open is 1.
 *
 *     import model.onnx gpu
 */
#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/nnrt_import.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TENSORS = 200, MAX_RANK = 16, SHOWN = 10 };

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "import: %s failed; the log says why. %s\n", what, OH_NNRt_GetImportError());
  exit(1);
}

static const char* name_of(size_t device) {
  const char* name = NULL;
  require(OH_NNDevice_GetName(device, &name) == OH_NN_SUCCESS, "OH_NNDevice_GetName");
  return name;
}

/* The first device of type "cpu" or "gpu", or with this name. */
static size_t find_device(const char* wanted) {
  const size_t* ids = NULL;
  uint32_t count = 0;
  require(OH_NNDevice_GetAllDevicesID(&ids, &count) == OH_NN_SUCCESS, "OH_NNDevice_GetAllDevicesID");
  for (uint32_t i = 0; i < count; ++i) {
    OH_NN_DeviceType type = OH_NN_OTHERS;
    require(OH_NNDevice_GetType(ids[i], &type) == OH_NN_SUCCESS, "OH_NNDevice_GetType");
    if ((type == OH_NN_CPU && strcmp(wanted, "cpu") == 0) ||
        (type == OH_NN_GPU && strcmp(wanted, "gpu") == 0) || strcmp(wanted, name_of(ids[i])) == 0)
      return ids[i];
  }
  fprintf(stderr, "import: no device is %s; there are:", wanted);
  for (uint32_t i = 0; i < count; ++i) fprintf(stderr, "%s%s", i == 0 ? " " : ", ", name_of(ids[i]));
  fprintf(stderr, "\n");
  exit(1);
}

typedef OH_NN_ReturnCode (*Describe)(const OH_NNRt_ImportedModel*, size_t, OH_NNRt_TensorInfo*);

/* Prints a tensor's declaration, and creates it with dynamic dimensions set to 1. */
static NN_Tensor* make_tensor(const OH_NNRt_ImportedModel* model, Describe describe, size_t index,
                              size_t device) {
  OH_NNRt_TensorInfo info = {.size = sizeof info};
  int32_t shape[MAX_RANK];
  require(describe(model, index, &info) == OH_NN_SUCCESS && info.rank <= MAX_RANK, "A description");
  printf("  %s, type %d, [", info.name, (int)info.dataType);
  for (size_t i = 0; i < info.rank; ++i) {
    printf("%s%d", i == 0 ? "" : ",", info.shape[i]);
    shape[i] = info.shape[i] < 0 ? 1 : info.shape[i];
  }
  printf("]");
  if (info.quantizationCount == 1) printf(", %g * (x - %d)", info.scales[0], info.zeroPoints[0]);
  printf("\n");
  NN_TensorDesc* desc = OH_NNTensorDesc_Create();
  require(OH_NNTensorDesc_SetDataType(desc, info.dataType) == OH_NN_SUCCESS &&
              (info.rank == 0 || OH_NNTensorDesc_SetShape(desc, shape, info.rank) == OH_NN_SUCCESS),
          "Describing a tensor");
  NN_Tensor* tensor = OH_NNTensor_Create(device, desc);
  require(tensor != NULL, "OH_NNTensor_Create");
  OH_NNTensorDesc_Destroy(&desc);
  return tensor;
}

/* Returns the number of elements of a tensor; sets `type` to its element type. */
static size_t elements_of(const NN_Tensor* tensor, OH_NN_DataType* type) {
  size_t count = 0;
  const NN_TensorDesc* desc = OH_NNTensor_GetTensorDesc(tensor);
  OH_NNTensorDesc_GetDataType(desc, type);
  OH_NNTensorDesc_GetElementCount(desc, &count);
  return count;
}

/* Sets floats to 1; other types keep their initial 0. */
static void fill(NN_Tensor* tensor) {
  OH_NN_DataType type = OH_NN_UNKNOWN;
  const size_t count = elements_of(tensor, &type);
  float* data = OH_NNTensor_GetDataBuffer(tensor);
  for (size_t i = 0; type == OH_NN_FLOAT32 && i < count; ++i) data[i] = 1;
}

static void print(NN_Tensor* tensor) {
  OH_NN_DataType type = OH_NN_UNKNOWN;
  const size_t count = elements_of(tensor, &type);
  const unsigned char* bytes = OH_NNTensor_GetDataBuffer(tensor);
  printf("%zu elements:", count);
  for (size_t i = 0; i < count && i < SHOWN; ++i) {
    if (type == OH_NN_FLOAT32) {
      float value = 0;
      memcpy(&value, bytes + i * sizeof value, sizeof value);
      printf(" %g", value);
    } else {
      printf(" %02x", bytes[i]);
    }
  }
  printf("\n");
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: import MODEL [cpu|gpu|NAME]\n");
    return 2;
  }
  OH_NNRt_ImportedModel* imported = NULL;
  require(OH_NNRt_ImportModel(argv[1], NULL, &imported) == OH_NN_SUCCESS, "OH_NNRt_ImportModel");
  const OH_NNModel* model = NULL;
  size_t inputs = 0, outputs = 0;
  OH_NNRt_ImportedModel_GetModel(imported, &model);
  OH_NNRt_ImportedModel_GetCounts(imported, &inputs, &outputs);
  const size_t device = find_device(argc > 2 ? argv[2] : "cpu");

  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  require(OH_NNCompilation_SetDevice(compilation, device) == OH_NN_SUCCESS, "OH_NNCompilation_SetDevice");
  require(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS, "OH_NNCompilation_Build");
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  require(executor != NULL, "OH_NNExecutor_Construct");

  NN_Tensor *in[MAX_TENSORS], *out[MAX_TENSORS]; /* the API's limit */
  printf("inputs\n");
  for (size_t i = 0; i < inputs; ++i)
    fill(in[i] = make_tensor(imported, OH_NNRt_ImportedModel_GetInput, i, device));
  printf("outputs\n");
  for (size_t i = 0; i < outputs; ++i)
    out[i] = make_tensor(imported, OH_NNRt_ImportedModel_GetOutput, i, device);
  require(OH_NNExecutor_RunSync(executor, in, inputs, out, outputs) == OH_NN_SUCCESS,
          "OH_NNExecutor_RunSync");
  for (size_t i = 0; i < outputs; ++i) print(out[i]);

  for (size_t i = 0; i < inputs; ++i) OH_NNTensor_Destroy(&in[i]);
  for (size_t i = 0; i < outputs; ++i) OH_NNTensor_Destroy(&out[i]);
  OH_NNExecutor_Destroy(&executor);
  OH_NNCompilation_Destroy(&compilation);
  OH_NNRt_ImportedModel_Destroy(&imported);
  return 0;
}
