#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "core/cache/cache_directory.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

namespace nnrt {
namespace {

constexpr size_t kMaxExtensions = 200;

// Validates the arguments first; MindSpore graphs are not supported in any case.
OH_NN_ReturnCode refuse_graph(const char* function, const OH_NNModel* model, const void* graph,
                              const OH_NN_Extension* extensions, size_t count) {
  return guard(function, [&]() -> Status {
    NNRT_TRY(require({{"model", model}, {"graph", graph}}));
    if (count > 0) NNRT_TRY(require({{"extensions", extensions}}));
    if (count > kMaxExtensions)
      return invalid("The number of extensions (", count, ") exceeds ", kMaxExtensions, ".");
    if (model->shared->builder.tensor_count() > 0 || model->shared->builder.finished())
      return forbidden("The model is not empty.");
    return unsupported("This runtime does not support MindSpore graphs.");
  });
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

OH_NN_ReturnCode OH_NNModel_BuildFromLiteGraph(OH_NNModel* model, const void* liteGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize) {
  return refuse_graph(__func__, model, liteGraph, extensions, extensionSize);
}

OH_NN_ReturnCode OH_NNModel_BuildFromMetaGraph(OH_NNModel* model, const void* metaGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize) {
  return refuse_graph(__func__, model, metaGraph, extensions, extensionSize);
}

OH_NN_ReturnCode OH_NNModel_SetInputsAndOutputsInfo(OH_NNModel* model, const OH_NN_TensorInfo* inputsInfo,
                                                    size_t inputSize, const OH_NN_TensorInfo* outputsInfo,
                                                    size_t outputSize) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"model", model}, {"inputsInfo", inputsInfo}, {"outputsInfo", outputsInfo}}));
    if (inputSize == 0 || outputSize == 0) return invalid("There are no inputs or no outputs.");
    if (model->shared->builder.tensor_count() > 0 || model->shared->builder.finished())
      return forbidden("The model is not empty.");
    return unsupported("This runtime does not support MindSpore graphs.");
  });
}

bool OH_NNModel_HasCache(const char* cacheDir, const char* modelName, uint32_t version) {
  bool has = false;
  const OH_NN_ReturnCode code = guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"cacheDir", cacheDir}, {"modelName", modelName}}));
    NNRT_ASSIGN(const CacheDirectory directory, CacheDirectory::open(cacheDir, modelName));
    NNRT_ASSIGN(const std::optional<StoredModel> stored, directory.read());
    has = stored && stored->header().version == version;
    return {};
  });
  return code == OH_NN_SUCCESS && has;
}

OH_NN_ReturnCode OH_NN_GetDeviceID(char* nnrtDevice, size_t len) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"nnrtDevice", nnrtDevice}}));
    if (len == 0) return invalid("The length of the buffer is 0.");
    *nnrtDevice = '\0';
    return {};
  });
}

OH_NN_ReturnCode OH_NN_IsSupportAIPP(bool& isSupportAIPP) {
  isSupportAIPP = false;
  return OH_NN_SUCCESS;
}

OH_NN_ReturnCode OH_NNExecutor_RunSyncWithAipp(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t,
                                               NN_Tensor* outputTensor[], size_t, const char* aippStrings) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"executor", executor},
                      {"inputTensor", inputTensor},
                      {"outputTensor", outputTensor},
                      {"aippStrings", aippStrings}}));
    return unsupported("No device pre-processes images.");
  });
}
