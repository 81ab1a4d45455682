/**
 * @file neural_network_runtime_inner.h
 *
 * Functions that OpenHarmony's runtime exports for MindSpore Lite, which requires all of them to load. They
 * are in libneural_network_core.so and can be found with dlsym through either library.
 */
#ifndef NEURAL_NETWORK_RUNTIME_INNER_H
#define NEURAL_NETWORK_RUNTIME_INNER_H

#include "neural_network_runtime_type.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define OH_NN_INNER_NAME_LENGTH 128

typedef struct OH_NN_TensorInfo {
  char name[OH_NN_INNER_NAME_LENGTH];
  OH_NN_DataType dataType;
  uint32_t dimensionCount;
  const int32_t* dimensions;
  OH_NN_Format format;
} OH_NN_TensorInfo;

typedef struct OH_NN_Extension {
  char name[OH_NN_INNER_NAME_LENGTH];
  char* value;
  size_t valueSize;
} OH_NN_Extension;

/**
 * Builds a model from a LiteGraph of MindSpore Lite. Constants are copied. On success the graph is destroyed
 * with the model and its compilations, on failure it remains the caller's; its tables always do.
 * OH_NNModel_GetAvailableOperations then has an element for each node of the graph, and
 * OH_NNCompilation_Build refuses nodes without an equivalent. The extensions are only read if
 * NNRT_DEVICES lists "graph_extensions", because clients before OpenHarmony 5.0 pass two arguments. Given
 * both InputDims and DynamicDims, the inputs have the shapes of InputDims; other extensions have no effect.
 *
 * @return OH_NN_INVALID_PARAMETER: null, no LiteGraph, not 1 to 200 inputs and outputs, or one that does not
 *         exist; more than 200 extensions, or InputDims and DynamicDims that do not fit each other or the
 *         inputs. OH_NN_NULL_PTR: an input or output of an unknown type. OH_NN_OPERATION_FORBIDDEN: the model
 *         is not empty.
 */
OH_NN_ReturnCode OH_NNModel_BuildFromLiteGraph(OH_NNModel* model, const void* liteGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize);

/** The same for the root table of a .ms file in memory, which remains the caller's. Extensions are always
 * read. */
OH_NN_ReturnCode OH_NNModel_BuildFromMetaGraph(OH_NNModel* model, const void* metaGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize);

/** Declares inputs and outputs before OH_NNModel_BuildFromMetaGraph, which reads them from the graph. */
OH_NN_ReturnCode OH_NNModel_SetInputsAndOutputsInfo(OH_NNModel* model, const OH_NN_TensorInfo* inputsInfo,
                                                    size_t inputSize, const OH_NN_TensorInfo* outputsInfo,
                                                    size_t outputSize);

/** True if cacheDir has a complete cache of this version; modelName is the extension config ModelName. */
bool OH_NNModel_HasCache(const char* cacheDir, const char* modelName, uint32_t version);

/**
 * Gets the preferred accelerator's name: always empty, as there are no system parameters. len is at least 1.
 */
OH_NN_ReturnCode OH_NN_GetDeviceID(char* nnrtDevice, size_t len);

/** OH_NNExecutor_RunSync with image preprocessing on the device: returns OH_NN_UNSUPPORTED. */
OH_NN_ReturnCode OH_NNExecutor_RunSyncWithAipp(OH_NNExecutor* executor, NN_Tensor* inputTensor[],
                                               size_t inputCount, NN_Tensor* outputTensor[],
                                               size_t outputCount, const char* aippStrings);

/** A checksum of 16 bits: the complement of the sum of little-endian words, with the carries added. */
unsigned short CacheInfoGetCrc16(char* buffer, size_t length);

#ifdef __cplusplus
/** Says whether the device preprocesses images: always false. */
OH_NN_ReturnCode OH_NN_IsSupportAIPP(bool& isSupportAIPP);
#endif

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
