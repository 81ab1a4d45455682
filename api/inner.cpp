#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/model/client_graph.h"
#include "api/model/graph_extensions.h"
#include "core/cache/cache_directory.h"
#include "core/device/device_registry.h"
#include "core/platform/settings.h"
#include "mindspore/lite_graph/lite_graph.h"
#include "mindspore/schema/enumerations.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

namespace nnrt {
namespace {

// OH_NN_NULL_PTR, which the core does not have.
constexpr Code kNullPointer{5};

Status require_empty_model(const OH_NNModel& model) {
  if (model.shared->builder.tensor_count() > 0 || model.shared->builder.finished())
    return forbidden("The model is not empty.");
  return {};
}

// Upstream translates the graph's inputs and outputs, and checks nothing else.
Status check_boundary(const mindspore::SourceGraph& graph) {
  constexpr size_t kMaxOperands = 200;
  for (const auto* indices : {&graph.inputs, &graph.outputs}) {
    if (indices->empty() || indices->size() > kMaxOperands)
      return invalid("The number of the graph's inputs or outputs (", indices->size(), ") is outside [1, ",
                     kMaxOperands, "].");
    for (const uint32_t index : *indices) {
      if (index >= graph.tensors.size())
        return invalid("Tensor ", index, " does not exist; the graph has ", graph.tensors.size(), ".");
      if (mindspore::dtype_of(graph.tensors[index].type_id) == DType::unknown)
        return Error{kNullPointer, cat("Tensor ", index, " is null, damaged or of an unknown type.")};
    }
  }
  return {};
}

using Extensions = std::span<const OH_NN_Extension>;

// Takes the graph over, but not if building fails.
Status build_lite_graph(SharedModel& model, const void* graph, Extensions extensions) {
  NNRT_ASSIGN(mindspore::SourceGraph source, mindspore::read_lite_graph(graph));
  NNRT_TRY(check_boundary(source));
  NNRT_TRY(apply_extensions(extensions, source));
  const mindspore::GraphLayout layout = *mindspore::layout_of(graph);
  auto is_owned = std::make_shared<bool>(false);
  const std::shared_ptr<const void> owner(graph, [layout, is_owned](const void* owned) {
    if (*is_owned) mindspore::delete_lite_graph(owned, layout);
  });
  NNRT_TRY(build_from(model, source, owner));
  *is_owned = true;
  return {};
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

// Clients of OpenHarmony 3.2 to 4.1 pass two arguments, so the others are read only on request.
OH_NN_ReturnCode OH_NNModel_BuildFromLiteGraph(OH_NNModel* model, const void* liteGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize) {
  return guard(__func__, {{"model", model}, {"liteGraph", liteGraph}}, [&]() -> Status {
    Extensions given;
    if (passes_graph_extensions(setting_text(Setting::devices))) {
      NNRT_ASSIGN(given, checked_extensions(extensions, extensionSize));
    }
    NNRT_TRY(require_empty_model(*model));
    return build_lite_graph(*model->shared, liteGraph, given);
  });
}

OH_NN_ReturnCode OH_NNModel_BuildFromMetaGraph(OH_NNModel* model, const void* metaGraph,
                                               const OH_NN_Extension* extensions, size_t extensionSize) {
  return guard(__func__, {{"model", model}, {"metaGraph", metaGraph}}, [&]() -> Status {
    NNRT_ASSIGN(const Extensions given, checked_extensions(extensions, extensionSize));
    NNRT_TRY(require_empty_model(*model));
    NNRT_ASSIGN(mindspore::SourceGraph source, mindspore::read_meta_graph(metaGraph));
    NNRT_TRY(check_boundary(source));
    NNRT_TRY(apply_extensions(given, source));
    return build_from(*model->shared, source, nullptr);
  });
}

OH_NN_ReturnCode OH_NNModel_SetInputsAndOutputsInfo(OH_NNModel* model, const OH_NN_TensorInfo* inputsInfo,
                                                    size_t inputSize, const OH_NN_TensorInfo* outputsInfo,
                                                    size_t outputSize) {
  return guard(__func__, {{"model", model}, {"inputsInfo", inputsInfo}, {"outputsInfo", outputsInfo}},
               [&]() -> Status {
                 if (inputSize == 0 || outputSize == 0) return invalid("There are no inputs or no outputs.");
                 return require_empty_model(*model);
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
  return guard(__func__, {{"nnrtDevice", nnrtDevice}}, [&]() -> Status {
    if (len == 0) return invalid("The length of the buffer is 0.");
    *nnrtDevice = '\0';
    return {};
  });
}

// The complement of the sum of 16-bit words, with the carries added.
unsigned short CacheInfoGetCrc16(char* buffer, size_t length) {
  if (buffer == nullptr) return 0;
  uint64_t sum = 0;
  for (size_t i = 0; i < length; ++i) sum += uint64_t{uint8_t(buffer[i])} << (i % 2 * 8);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<unsigned short>(~sum);
}

OH_NN_ReturnCode OH_NN_IsSupportAIPP(bool& isSupportAIPP) {
  isSupportAIPP = false;
  return OH_NN_SUCCESS;
}

OH_NN_ReturnCode OH_NNExecutor_RunSyncWithAipp(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t,
                                               NN_Tensor* outputTensor[], size_t, const char* aippStrings) {
  return guard(__func__,
               {{"executor", executor},
                {"inputTensor", inputTensor},
                {"outputTensor", outputTensor},
                {"aippStrings", aippStrings}},
               [&] { return unsupported("No device preprocesses images."); });
}
