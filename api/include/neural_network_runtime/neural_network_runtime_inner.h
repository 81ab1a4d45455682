/**
 * @file neural_network_runtime_inner.h
 *
 * Functions that OpenHarmony's runtime exports for MindSpore Lite, which requires all of them to load. They
 * are in libneural_network_core.so and can be found with dlsym through either library. This runtime is built
 * without MindSpore: functions that need it return OH_NN_UNSUPPORTED.
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
 * Builds a model from a MindSpore graph in memory; not supported here.
 *
 * @return OH_NN_INVALID_PARAMETER: null, or more than 200 extensions. OH_NN_OPERATION_FORBIDDEN: the model is
 *         not empty. OH_NN_UNSUPPORTED otherwise.
 */
OH_NN_ReturnCode OH_NNModel_BuildFromLiteGraph(OH_NNModel* model, const void* liteGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize);

/** The same for MindSpore's serialized format. */
OH_NN_ReturnCode OH_NNModel_BuildFromMetaGraph(OH_NNModel* model, const void* metaGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize);

/** Declares the inputs and outputs of such models. Returns as OH_NNModel_BuildFromLiteGraph. */
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

#ifdef __cplusplus
/** Says whether the device preprocesses images: always false. */
OH_NN_ReturnCode OH_NN_IsSupportAIPP(bool& isSupportAIPP);
#endif

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
