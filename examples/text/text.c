/*
 * Writes text with a small language model, one byte a token, through the C API alone.
 *
 *     nnrt compile decode_int8.onnx -o decode.nnrt
 *     text decode.nnrt gpu 200 "In the beginning "
 *
 * The model takes a token, its position and a cache, the keys and values of all tokens before; it gives the
 * logits of the next token and the cache with one row more. The cache is two tensors that change places after
 * each run: the next run reads what this one wrote, and nothing is copied.
 */
#include <neural_network_runtime/neural_network_core.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN, POSITION, CACHE, INPUTS };
enum { LOGITS, NEW_CACHE, OUTPUTS };

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "text: %s failed; the log says why.\n", what);
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
  fprintf(stderr, "text: no device is %s; there are:", wanted);
  for (uint32_t i = 0; i < count; ++i) fprintf(stderr, "%s%s", i == 0 ? " " : ", ", name_of(ids[i]));
  fprintf(stderr, "\n");
  exit(1);
}

static OH_NNCompilation* compile(const char* path, size_t device) {
  OH_NNCompilation* compilation = OH_NNCompilation_ConstructWithOfflineModelFile(path);
  require(compilation != NULL, "OH_NNCompilation_ConstructWithOfflineModelFile");
  require(OH_NNCompilation_SetDevice(compilation, device) == OH_NN_SUCCESS, "OH_NNCompilation_SetDevice");
  require(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS, "OH_NNCompilation_Build");
  return compilation;
}

/* Takes ownership of the description; the tensor's memory is shared with the device. */
static NN_Tensor* make_tensor(size_t device, NN_TensorDesc* desc) {
  require(desc != NULL, "The description of a tensor");
  NN_Tensor* tensor = OH_NNTensor_Create(device, desc);
  require(tensor != NULL, "OH_NNTensor_Create");
  OH_NNTensorDesc_Destroy(&desc);
  return tensor;
}

static size_t size_of(const NN_Tensor* tensor) {
  size_t size = 0;
  require(OH_NNTensor_GetSize(tensor, &size) == OH_NN_SUCCESS, "OH_NNTensor_GetSize");
  return size;
}

static void set_number(NN_Tensor* tensor, int64_t value) {
  memcpy(OH_NNTensor_GetDataBuffer(tensor), &value, sizeof value);
}

/* Returns the most likely token after this one. */
static int step(OH_NNExecutor* executor, NN_Tensor* inputs[], NN_Tensor* outputs[], int token,
                int64_t position) {
  set_number(inputs[TOKEN], token);
  set_number(inputs[POSITION], position);
  require(OH_NNExecutor_RunSync(executor, inputs, INPUTS, outputs, OUTPUTS) == OH_NN_SUCCESS,
          "OH_NNExecutor_RunSync");
  NN_Tensor* read = inputs[CACHE];
  inputs[CACHE] = outputs[NEW_CACHE];
  outputs[NEW_CACHE] = read;

  const float* logits = OH_NNTensor_GetDataBuffer(outputs[LOGITS]);
  const int count = (int)(size_of(outputs[LOGITS]) / sizeof(float));
  int best = 0;
  for (int i = 1; i < count; ++i) {
    if (logits[i] > logits[best]) best = i;
  }
  return best;
}

/* Number of positions in the cache: its second-to-last dimension. */
static int64_t capacity_of(const NN_Tensor* cache) {
  int32_t* shape = NULL;
  size_t rank = 0;
  require(
      OH_NNTensorDesc_GetShape(OH_NNTensor_GetTensorDesc(cache), &shape, &rank) == OH_NN_SUCCESS && rank >= 2,
      "OH_NNTensorDesc_GetShape");
  return shape[rank - 2];
}

static void write_text(OH_NNExecutor* executor, NN_Tensor* inputs[], NN_Tensor* outputs[], const char* prompt,
                       int tokens) {
  const int64_t capacity = capacity_of(inputs[CACHE]);
  int64_t position = 0;
  int token = 0;
  for (; prompt[position] != '\0' && position < capacity; ++position) {
    putchar(prompt[position]);
    token = step(executor, inputs, outputs, (unsigned char)prompt[position], position);
  }
  for (int i = 0; i < tokens; ++i) {
    putchar(token);
    fflush(stdout);
    if (i + 1 == tokens || position == capacity) break;
    token = step(executor, inputs, outputs, token, position++);
  }
  putchar('\n');
}

int main(int argc, char** argv) {
  if (argc != 5 || argv[4][0] == '\0') {
    fprintf(stderr, "usage: text MODEL.nnrt gpu|cpu|NAME TOKENS PROMPT\n");
    return 2;
  }
  const size_t device = find_device(argv[2]);
  OH_NNCompilation* compilation = compile(argv[1], device);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  require(executor != NULL, "OH_NNExecutor_Construct");
  NN_Tensor *inputs[INPUTS], *outputs[OUTPUTS];
  for (size_t i = 0; i < INPUTS; ++i)
    inputs[i] = make_tensor(device, OH_NNExecutor_CreateInputTensorDesc(executor, i));
  for (size_t i = 0; i < OUTPUTS; ++i) {
    outputs[i] = make_tensor(device, OH_NNExecutor_CreateOutputTensorDesc(executor, i));
  }
  memset(OH_NNTensor_GetDataBuffer(inputs[CACHE]), 0, size_of(inputs[CACHE]));

  write_text(executor, inputs, outputs, argv[4], atoi(argv[3]));

  for (size_t i = 0; i < INPUTS; ++i) OH_NNTensor_Destroy(&inputs[i]);
  for (size_t i = 0; i < OUTPUTS; ++i) OH_NNTensor_Destroy(&outputs[i]);
  OH_NNExecutor_Destroy(&executor);
  OH_NNCompilation_Destroy(&compilation);
  return 0;
}
