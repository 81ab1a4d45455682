/*
 * Classifies handwritten digits through Android's Neural Networks API, the network of examples/digits. Its
 * weights stay in their file, which is a memory of NNAPI.
 *
 *     digits_nnapi any|cpu|gpu|NAME [--predictions FILE]
 */
#include <android/NeuralNetworks.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { PIXELS = 64, CLASSES = 10, MAX_IMAGES = 1000 };

static void check(int result, const char* what) {
  if (result == ANEURALNETWORKS_NO_ERROR) return;
  fprintf(stderr, "digits_nnapi: %s returns %d; the log says why.\n", what, result);
  exit(1);
}

/* A network under construction. An operand's number is the count of operands added before it. */
typedef struct {
  ANeuralNetworksModel* model;
  ANeuralNetworksMemory* weights;
  size_t offset; /* offset of the next weights */
  uint32_t operands;
} Net;

static uint32_t add_operand(Net* net, int32_t code, uint32_t rank, const uint32_t* dimensions) {
  const ANeuralNetworksOperandType type = {code, rank, dimensions, 0, 0};
  check(ANeuralNetworksModel_addOperand(net->model, &type), "ANeuralNetworksModel_addOperand");
  return net->operands++;
}

static uint32_t tensor(Net* net, uint32_t rank, const uint32_t* dimensions) {
  return add_operand(net, ANEURALNETWORKS_TENSOR_FLOAT32, rank, dimensions);
}

/* NNAPI copies values of up to 128 bytes immediately. */
static void set_value(Net* net, uint32_t operand, const void* value, size_t size) {
  check(ANeuralNetworksModel_setOperandValue(net->model, (int32_t)operand, value, size),
        "ANeuralNetworksModel_setOperandValue");
}

static uint32_t number(Net* net, int32_t value) {
  const uint32_t operand = add_operand(net, ANEURALNETWORKS_INT32, 0, NULL);
  set_value(net, operand, &value, sizeof value);
  return operand;
}

static uint32_t vector_of_one(Net* net, float value) {
  const uint32_t one = 1, operand = tensor(net, 1, &one);
  set_value(net, operand, &value, sizeof value);
  return operand;
}

/* The next weights of the file; the model reads them in place. */
static uint32_t weights(Net* net, uint32_t rank, const uint32_t* dimensions) {
  size_t size = sizeof(float);
  for (uint32_t i = 0; i < rank; ++i) size *= dimensions[i];
  const uint32_t operand = tensor(net, rank, dimensions);
  check(ANeuralNetworksModel_setOperandValueFromMemory(net->model, (int32_t)operand, net->weights,
                                                       net->offset, size),
        "ANeuralNetworksModel_setOperandValueFromMemory");
  net->offset += size;
  return operand;
}

static uint32_t add(Net* net, ANeuralNetworksOperationType type, const uint32_t* inputs, uint32_t count,
                    uint32_t output) {
  check(ANeuralNetworksModel_addOperation(net->model, type, count, inputs, 1, &output),
        "ANeuralNetworksModel_addOperation");
  return output;
}

/* 3 x 3 with RELU; SAME padding keeps height and width. */
static uint32_t convolution(Net* net, uint32_t x, uint32_t size, uint32_t in, uint32_t out) {
  const uint32_t filter[] = {out, 3, 3, in}, image[] = {1, size, size, out};
  const uint32_t weight = weights(net, 4, filter), bias = weights(net, 1, &out);
  const uint32_t same = number(net, ANEURALNETWORKS_PADDING_SAME), one = number(net, 1);
  const uint32_t inputs[] = {x, weight, bias, same, one, one, number(net, ANEURALNETWORKS_FUSED_RELU)};
  return add(net, ANEURALNETWORKS_CONV_2D, inputs, 7, tensor(net, 4, image));
}

/* Halves height and width. */
static uint32_t max_pool(Net* net, uint32_t x, uint32_t size, uint32_t channels) {
  const uint32_t image[] = {1, size / 2, size / 2, channels}, two = number(net, 2);
  const uint32_t inputs[] = {x,   number(net, ANEURALNETWORKS_PADDING_VALID), two, two, two,
                             two, number(net, ANEURALNETWORKS_FUSED_NONE)};
  return add(net, ANEURALNETWORKS_MAX_POOL_2D, inputs, 7, tensor(net, 4, image));
}

/* Flattens its input. */
static uint32_t fully_connected(Net* net, uint32_t x, uint32_t in, uint32_t out, int32_t activation) {
  const uint32_t matrix[] = {out, in}, row[] = {1, out};
  const uint32_t weight = weights(net, 2, matrix), bias = weights(net, 1, &out);
  const uint32_t inputs[] = {x, weight, bias, number(net, activation)};
  return add(net, ANEURALNETWORKS_FULLY_CONNECTED, inputs, 4, tensor(net, 2, row));
}

static void compose(Net* net) {
  const uint32_t image[] = {1, 8, 8, 1}, row[] = {1, CLASSES}, none = number(net, ANEURALNETWORKS_FUSED_NONE);
  const uint32_t input = tensor(net, 4, image);
  /* 0..16 becomes -1..1. */
  const uint32_t scale[] = {input, vector_of_one(net, 0.125f), none};
  const uint32_t scaled = add(net, ANEURALNETWORKS_MUL, scale, 3, tensor(net, 4, image));
  const uint32_t shift[] = {scaled, vector_of_one(net, 1), none};
  uint32_t x = add(net, ANEURALNETWORKS_SUB, shift, 3, tensor(net, 4, image));
  x = convolution(net, x, 8, 1, 32);
  x = convolution(net, x, 8, 32, 32);
  x = max_pool(net, x, 8, 32);
  x = convolution(net, x, 4, 32, 64);
  x = max_pool(net, x, 4, 64);
  x = fully_connected(net, x, 256, 64, ANEURALNETWORKS_FUSED_RELU);
  x = fully_connected(net, x, 64, CLASSES, ANEURALNETWORKS_FUSED_NONE);
  const float beta = 1;
  const uint32_t softmax[] = {x, add_operand(net, ANEURALNETWORKS_FLOAT32, 0, NULL)};
  set_value(net, softmax[1], &beta, sizeof beta);
  const uint32_t output = add(net, ANEURALNETWORKS_SOFTMAX, softmax, 2, tensor(net, 2, row));
  check(ANeuralNetworksModel_identifyInputsAndOutputs(net->model, 1, &input, 1, &output),
        "ANeuralNetworksModel_identifyInputsAndOutputs");
  check(ANeuralNetworksModel_finish(net->model), "ANeuralNetworksModel_finish");
}

static ANeuralNetworksDevice* device_at(uint32_t i, const char** name) {
  ANeuralNetworksDevice* device = NULL;
  check(ANeuralNetworks_getDevice(i, &device), "ANeuralNetworks_getDevice");
  check(ANeuralNetworksDevice_getName(device, name), "ANeuralNetworksDevice_getName");
  return device;
}

/* The CPU device has the same name everywhere; "gpu" selects the first other device. */
static ANeuralNetworksDevice* find_device(const char* wanted) {
  const char* name = NULL;
  uint32_t count = 0;
  check(ANeuralNetworks_getDeviceCount(&count), "ANeuralNetworks_getDeviceCount");
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* device = device_at(i, &name);
    const char* word = strcmp(name, "nnapi-reference") == 0 ? "cpu" : "gpu";
    if (strcmp(wanted, word) != 0 && strcmp(wanted, name) != 0) continue;
    printf("device: %s\n", name);
    return device;
  }
  fprintf(stderr, "digits_nnapi: no device is %s; there are:", wanted);
  for (uint32_t i = 0; i < count; ++i) {
    device_at(i, &name);
    fprintf(stderr, "%s%s", i == 0 ? " " : ", ", name);
  }
  fprintf(stderr, "\n");
  exit(1);
}

static ANeuralNetworksCompilation* compile(ANeuralNetworksModel* model, const char* wanted) {
  ANeuralNetworksCompilation* compilation = NULL;
  if (strcmp(wanted, "any") == 0) {
    check(ANeuralNetworksCompilation_create(model, &compilation), "ANeuralNetworksCompilation_create");
  } else {
    const ANeuralNetworksDevice* const devices[] = {find_device(wanted)};
    check(ANeuralNetworksCompilation_createForDevices(model, devices, 1, &compilation),
          "ANeuralNetworksCompilation_createForDevices");
  }
  check(ANeuralNetworksCompilation_finish(compilation), "ANeuralNetworksCompilation_finish");
  return compilation;
}

static int classify(ANeuralNetworksCompilation* compilation, const unsigned char* image) {
  float pixels[PIXELS], probabilities[CLASSES];
  for (int i = 0; i < PIXELS; ++i) pixels[i] = image[i];
  ANeuralNetworksExecution* run = NULL;
  check(ANeuralNetworksExecution_create(compilation, &run), "ANeuralNetworksExecution_create");
  check(ANeuralNetworksExecution_setInput(run, 0, NULL, pixels, sizeof pixels), "_setInput");
  check(ANeuralNetworksExecution_setOutput(run, 0, NULL, probabilities, sizeof probabilities), "_setOutput");
  check(ANeuralNetworksExecution_compute(run), "ANeuralNetworksExecution_compute");
  ANeuralNetworksExecution_free(run);
  int best = 0;
  for (int i = 1; i < CLASSES; ++i) best = probabilities[i] > probabilities[best] ? i : best;
  return best;
}

static size_t read_file(const char* path, unsigned char* bytes, size_t room) {
  FILE* file = fopen(path, "rb");
  const size_t size = file == NULL ? 0 : fread(bytes, 1, room, file);
  if (file != NULL) fclose(file);
  return size;
}

int main(int argc, char** argv) {
  static unsigned char images[MAX_IMAGES * PIXELS], labels[MAX_IMAGES];
  const size_t count = read_file(DIGITS_DATA "/labels.bin", labels, sizeof labels);
  const int fd = open(DIGITS_DATA "/weights.bin", O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (read_file(DIGITS_DATA "/images.bin", images, sizeof images) != count * PIXELS ||
      fstat(fd, &status) != 0) {
    fprintf(stderr, "digits_nnapi: the files of %s cannot be read.\n", DIGITS_DATA);
    return 1;
  }
  Net net = {NULL, NULL, 0, 0};
  check(ANeuralNetworksMemory_createFromFd((size_t)status.st_size, PROT_READ, fd, 0, &net.weights),
        "ANeuralNetworksMemory_createFromFd");
  check(ANeuralNetworksModel_create(&net.model), "ANeuralNetworksModel_create");
  compose(&net);
  ANeuralNetworksCompilation* compilation = compile(net.model, argc > 1 ? argv[1] : "any");
  FILE* predictions = argc > 3 && strcmp(argv[2], "--predictions") == 0 ? fopen(argv[3], "w") : NULL;
  size_t right = 0;
  for (size_t i = 0; i < count; ++i) {
    const int predicted = classify(compilation, images + i * PIXELS);
    right += predicted == labels[i];
    if (predictions != NULL) fprintf(predictions, "%d\n", predicted);
  }
  printf("accuracy %.1f %%\n", 100.0 * (double)right / (double)count);
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(net.model);
  ANeuralNetworksMemory_free(net.weights);
  return predictions != NULL && fclose(predictions) != 0;
}
