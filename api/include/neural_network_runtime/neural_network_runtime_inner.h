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
 * @param model an empty model from OH_NNModel_Construct.
 * @param liteGraph a mindspore::lite::LiteGraph.
 * @param extensions shapes and settings by name; copied. May be NULL if extensionSize is 0.
 * @param extensionSize the number of extensions, up to 200.
 * @return OH_NN_INVALID_PARAMETER: null, no LiteGraph, not 1 to 200 inputs and outputs, or one that does not
 *         exist; more than 200 extensions, or InputDims and DynamicDims that do not fit each other or the
 *         inputs. OH_NN_NULL_PTR: an input or output of an unknown type. OH_NN_OPERATION_FORBIDDEN: the model
 *         is not empty.
 */
OH_NN_ReturnCode OH_NNModel_BuildFromLiteGraph(OH_NNModel* model, const void* liteGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize);

/**
 * As OH_NNModel_BuildFromLiteGraph, for a .ms file in memory. Extensions are always read.
 *
 * @param model an empty model from OH_NNModel_Construct.
 * @param metaGraph the root table of the file; remains the caller's and is not used after the call.
 * @param extensions as for OH_NNModel_BuildFromLiteGraph.
 * @param extensionSize the number of extensions, up to 200.
 * @return as OH_NNModel_BuildFromLiteGraph.
 */
OH_NN_ReturnCode OH_NNModel_BuildFromMetaGraph(OH_NNModel* model, const void* metaGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize);

/**
 * Accepts a description of inputs and outputs and ignores it: OH_NNModel_BuildFromMetaGraph reads them from
 * the graph.
 *
 * @param model an empty model.
 * @param inputsInfo the inputs; not used after the call.
 * @param inputSize the number of inputs, at least 1.
 * @param outputsInfo the outputs; not used after the call.
 * @param outputSize the number of outputs, at least 1.
 * @return OH_NN_INVALID_PARAMETER: null, or no inputs or outputs. OH_NN_OPERATION_FORBIDDEN: the model is not
 *         empty.
 */
OH_NN_ReturnCode OH_NNModel_SetInputsAndOutputsInfo(OH_NNModel* model, const OH_NN_TensorInfo* inputsInfo,
                                                    size_t inputSize, const OH_NN_TensorInfo* outputsInfo,
                                                    size_t outputSize);

/**
 * Looks for a compilation's cache.
 *
 * @param cacheDir the directory of OH_NNCompilation_SetCache.
 * @param modelName the value of the extension config ModelName.
 * @param version the version of OH_NNCompilation_SetCache.
 * @return true if the directory has a complete cache of that name and version; false also for null and if it
 *         cannot be read.
 */
bool OH_NNModel_HasCache(const char* cacheDir, const char* modelName, uint32_t version);

/**
 * Returns the name of the system's preferred accelerator: always empty, as there are no system parameters.
 *
 * @param nnrtDevice receives the null-terminated name.
 * @param len the size of nnrtDevice in bytes, at least 1.
 * @return OH_NN_INVALID_PARAMETER: null, or len is 0.
 */
OH_NN_ReturnCode OH_NN_GetDeviceID(char* nnrtDevice, size_t len);

/**
 * OH_NNExecutor_RunSync with image preprocessing on the device, which no device supports.
 *
 * @param executor an executor.
 * @param inputTensor the input tensors.
 * @param inputCount the number of inputs.
 * @param outputTensor the output tensors.
 * @param outputCount the number of outputs.
 * @param aippStrings the preprocessing, in the driver's format.
 * @return OH_NN_UNSUPPORTED; OH_NN_INVALID_PARAMETER for null.
 */
OH_NN_ReturnCode OH_NNExecutor_RunSyncWithAipp(OH_NNExecutor* executor, NN_Tensor* inputTensor[],
                                               size_t inputCount, NN_Tensor* outputTensor[],
                                               size_t outputCount, const char* aippStrings);

/**
 * Computes a checksum: the complement of the sum of 16-bit little-endian words, with the carries added.
 *
 * @param buffer the bytes; not modified.
 * @param length the number of bytes; an odd last byte counts as a word.
 * @return the checksum; 0 if buffer is NULL.
 */
unsigned short CacheInfoGetCrc16(char* buffer, size_t length);

#ifdef __cplusplus
/**
 * Queries whether the device preprocesses images.
 *
 * @param isSupportAIPP receives false.
 * @return OH_NN_SUCCESS.
 */
OH_NN_ReturnCode OH_NN_IsSupportAIPP(bool& isSupportAIPP);
#endif

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
