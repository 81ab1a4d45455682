#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/model/client_graph.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/cache/cache_directory.h"
#include "core/device/device_registry.h"
#include "core/platform/settings.h"
#include "mindspore/lite_graph/lite_graph.h"
#include "mindspore/model/source_graph.h"
#include "mindspore/schema/enumerations.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

namespace nnrt {
namespace {

// Extensions that MindSpore Lite passes with a graph.
constexpr std::string_view kInputDims = "InputDims", kDynamicDims = "DynamicDims";

std::string_view name_of(const OH_NN_Extension& extension) {
  return {extension.name, strnlen(extension.name, sizeof extension.name)};
}

using Numbers = std::vector<int32_t>;

// The value as INT32 elements; empty if no extension has the name.
Result<std::optional<Numbers>> find_numbers(std::span<const OH_NN_Extension> extensions,
                                            std::string_view name) {
  const auto found = std::ranges::find(extensions, name, name_of);
  if (found == extensions.end()) return std::optional<Numbers>();
  if (found->value == nullptr || found->valueSize == 0 || found->valueSize % sizeof(int32_t) != 0)
    return invalid("Extension ", name, " (", found->valueSize, " bytes) is not an array of INT32.");
  constexpr size_t kMaxBytes = size_t{1} << 20;
  if (found->valueSize > kMaxBytes)
    return invalid("Extension ", name, " has ", found->valueSize, " bytes, more than ", kMaxBytes, ".");
  Numbers numbers(found->valueSize / sizeof(int32_t));
  std::memcpy(numbers.data(), found->value, found->valueSize);
  return std::optional(std::move(numbers));
}

// DynamicDims lists combinations of lengths for the unknown dimensions. Any length is prepared on first use,
// so they are only checked.
Status check_lengths(const Numbers& shapes, const Numbers& lengths) {
  const auto unknown = size_t(std::ranges::count(shapes, int32_t(kUnknown)));
  if (unknown == 0) return invalid(kInputDims, " has no unknown dimension (-1) for ", kDynamicDims, ".");
  if (lengths.size() % unknown != 0)
    return invalid(kDynamicDims, " has ", lengths.size(), " elements, not a multiple of the ", unknown,
                   " unknown dimensions of ", kInputDims, ".");
  const auto wrong = std::ranges::find_if(lengths, [](int32_t length) { return length < 1; });
  if (wrong != lengths.end()) return invalid(kDynamicDims, " has a length (", *wrong, ") below 1.");
  return {};
}

Status set_input_shapes(const Numbers& shapes, mindspore::SourceGraph& graph) {
  size_t expected = 0;
  for (const uint32_t input : graph.inputs) expected += graph.tensors[input].dims.size();
  if (shapes.size() != expected)
    return invalid(kInputDims, " has ", shapes.size(), " elements, but the graph's inputs have ", expected,
                   " dimensions.");
  const auto wrong = std::ranges::find_if(shapes, [](int32_t length) { return length < 1 && length != -1; });
  if (wrong != shapes.end())
    return invalid(kInputDims, " has a dimension (", *wrong, ") that is not -1 or above 0.");
  auto next = shapes.begin();
  for (const uint32_t input : graph.inputs)
    for (int64_t& length : graph.tensors[input].dims) length = *next++;
  return {};
}

// invalid_parameter if they cannot be an array of extensions.
Result<std::span<const OH_NN_Extension>> checked_extensions(const OH_NN_Extension* extensions, size_t count) {
  constexpr size_t kMaxExtensions = 200;
  if (count > kMaxExtensions)
    return invalid("The number of extensions (", count, ") exceeds ", kMaxExtensions, ".");
  if (count > 0 && extensions == nullptr) return invalid("The array of ", count, " extensions is null.");
  return std::span(extensions, count);
}

// InputDims replaces the shapes of the graph's inputs if DynamicDims is given too. All other extensions
// configure drivers and are ignored. The graph's inputs must exist.
Status apply_extensions(std::span<const OH_NN_Extension> extensions, mindspore::SourceGraph& graph) {
  NNRT_ASSIGN(const std::optional<Numbers> shapes, find_numbers(extensions, kInputDims));
  NNRT_ASSIGN(const std::optional<Numbers> lengths, find_numbers(extensions, kDynamicDims));
  if (!shapes || !lengths) return {};
  NNRT_TRY(check_lengths(*shapes, *lengths));
  return set_input_shapes(*shapes, graph);
}

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
