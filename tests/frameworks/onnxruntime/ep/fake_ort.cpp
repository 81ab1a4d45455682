#include "tests/frameworks/onnxruntime/ep/fake_ort.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace nnrt::ep {
namespace {

int calls_left = 0;
bool refused = false;
int live = 0;

template <typename T, typename... Arguments>
T* make(Arguments&&... arguments) {
  const Shortage spared(false);
  ++live;
  return new T{std::forward<Arguments>(arguments)...};
}

template <typename T>
void release(T* object) noexcept {
  if (object == nullptr) return;
  --live;
  delete object;
}

OrtStatus* status(OrtErrorCode code, const char* message) noexcept {
  const Shortage spared(false);
  return make<OrtStatus>(code, std::string(message));
}

OrtStatus* answer() noexcept {
  if (calls_left == 0 || --calls_left > 0) return nullptr;
  refused = true;
  return status(ORT_FAIL, "refused");
}

// Answers that copy a member.
template <typename Owner, typename Value, typename Get>
OrtStatus* give(const Owner* owner, Value* out, Get get) noexcept {
  if (OrtStatus* const failed = answer()) return failed;
  *out = static_cast<Value>(std::invoke(get, *owner));
  return nullptr;
}

template <typename Items, typename Item>
OrtStatus* give_all(const Items& items, const Item** out, size_t count) noexcept {
  if (OrtStatus* const failed = answer()) return failed;
  if (count < items.size()) return status(ORT_INVALID_ARGUMENT, "The array is too small.");
  size_t i = 0;
  for (const auto& item : items) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(item)>>)
      out[i++] = item;
    else
      out[i++] = &item;
  }
  return nullptr;
}

// A pair of functions for a list of the owner.
#define NNRT_FAKE_LIST(api, owner, item, count, get, member)                   \
  api.count = [](const owner* self, size_t* size) noexcept {                   \
    return give(self, size, [](const owner& it) { return it.member.size(); }); \
  };                                                                           \
  api.get = [](const owner* self, const item** items, size_t size) noexcept {  \
    return give_all(self->member, items, size);                                \
  }
#define NNRT_FAKE_TEXT(api, owner, get, member)                                 \
  api.get = [](const owner* self, const char** text) noexcept {                 \
    return give(self, text, [](const owner& it) { return it.member.c_str(); }); \
  }
#define NNRT_FAKE_GET(api, owner, type, get, expression)                \
  api.get = [](const owner* self, type* out) noexcept {                 \
    return give(self, out, [](const owner& it) { return expression; }); \
  }

void add_objects(OrtApi& api) {
  api.CreateStatus = [](OrtErrorCode code, const char* message) noexcept { return status(code, message); };
  api.GetErrorMessage = [](const OrtStatus* it) noexcept { return it->message.c_str(); };
  api.GetErrorCode = [](const OrtStatus* it) noexcept { return it->code; };
  api.ReleaseStatus = release<OrtStatus>;
  api.CreateKeyValuePairs = [](OrtKeyValuePairs** out) { *out = make<OrtKeyValuePairs>(); };
  api.AddKeyValuePair = [](OrtKeyValuePairs* it, const char* key, const char* value) {
    const Shortage spared(false);
    it->pairs[key] = value;
  };
  api.GetKeyValuePairs = [](const OrtKeyValuePairs* it, const char* const** keys, const char* const** values,
                            size_t* count) {
    const Shortage spared(false);
    auto& pairs = const_cast<OrtKeyValuePairs&>(*it);
    pairs.keys.clear();
    pairs.values.clear();
    for (const auto& [key, value] : pairs.pairs) {
      pairs.keys.push_back(key.c_str());
      pairs.values.push_back(value.c_str());
    }
    *keys = pairs.keys.data();
    *values = pairs.values.data();
    *count = pairs.keys.size();
  };
  api.ReleaseKeyValuePairs = release<OrtKeyValuePairs>;
  api.CreateMemoryInfo_V2 = [](const char*, OrtMemoryInfoDeviceType, uint32_t, int32_t,
                               OrtDeviceMemoryType type, size_t, OrtAllocatorType,
                               OrtMemoryInfo** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    *out = make<OrtMemoryInfo>(type);
    return static_cast<OrtStatus*>(nullptr);
  };
  api.ReleaseMemoryInfo = release<OrtMemoryInfo>;
  api.HardwareDevice_Type = [](const OrtHardwareDevice* it) { return it->type; };
  api.HardwareDevice_Vendor = [](const OrtHardwareDevice* it) { return it->vendor.c_str(); };
  api.GetSessionOptionsConfigEntries = [](const OrtSessionOptions* it, OrtKeyValuePairs** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    *out = make<OrtKeyValuePairs>(it->entries, std::vector<const char*>(), std::vector<const char*>());
    return static_cast<OrtStatus*>(nullptr);
  };
  api.Logger_LogMessage = [](const OrtLogger* it, OrtLoggingLevel, const char* message, const char*, int,
                             const char*) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    const Shortage spared(false);
    const_cast<OrtLogger*>(it)->lines.emplace_back(message);
    return static_cast<OrtStatus*>(nullptr);
  };
}

void add_tensors(OrtApi& api) {
  NNRT_FAKE_GET(api, OrtValueInfo, const OrtTypeInfo*, GetValueInfoTypeInfo, &it.type);
  NNRT_FAKE_TEXT(api, OrtValueInfo, GetValueInfoName, name);
  NNRT_FAKE_GET(api, OrtValueInfo, bool, ValueInfo_IsFromOuterScope, it.is_outer);
  NNRT_FAKE_GET(api, OrtValueInfo, bool, ValueInfo_IsConstantInitializer, it.is_constant);
  NNRT_FAKE_GET(api, OrtValueInfo, const OrtValue*, ValueInfo_GetInitializerValue, &it.value);
  NNRT_FAKE_GET(api, OrtTypeInfo, const OrtTensorTypeAndShapeInfo*, CastTypeInfoToTensorInfo,
                it.is_tensor ? &it.tensor : nullptr);
  NNRT_FAKE_GET(api, OrtTensorTypeAndShapeInfo, ONNXTensorElementDataType, GetTensorElementType, it.type);
  NNRT_FAKE_GET(api, OrtTensorTypeAndShapeInfo, size_t, GetDimensionsCount, it.shape.size());
  api.GetDimensions = [](const OrtTensorTypeAndShapeInfo* it, int64_t* out, size_t count) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    std::copy_n(it->shape.begin(), std::min(count, it->shape.size()), out);
    return static_cast<OrtStatus*>(nullptr);
  };
  api.GetTensorTypeAndShape = [](const OrtValue* it, OrtTensorTypeAndShapeInfo** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    *out = make<OrtTensorTypeAndShapeInfo>(it->info);
    return static_cast<OrtStatus*>(nullptr);
  };
  api.ReleaseTensorTypeAndShapeInfo = release<OrtTensorTypeAndShapeInfo>;
  NNRT_FAKE_GET(api, OrtValue, const void*, GetTensorData, it.data.data());
  NNRT_FAKE_GET(api, OrtValue, size_t, GetTensorSizeInBytes, it.data.size() * sizeof(float));
  api.GetTensorMutableData = [](OrtValue* it, void** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    *out = it->data.data();
    return static_cast<OrtStatus*>(nullptr);
  };
  api.ReleaseValue = release<OrtValue>;
}

void add_attributes(OrtApi& api) {
  NNRT_FAKE_GET(api, OrtOpAttr, OrtOpAttrType, OpAttr_GetType, it.type);
  NNRT_FAKE_TEXT(api, OrtOpAttr, OpAttr_GetName, name);
  api.OpAttr_GetTensorAttributeAsOrtValue = [](const OrtOpAttr* it, OrtValue** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    *out = make<OrtValue>(it->tensor);
    return static_cast<OrtStatus*>(nullptr);
  };
  api.ReadOpAttr = [](const OrtOpAttr* it, OrtOpAttrType type, void* data, size_t size,
                      size_t* out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    *out = it->bytes.size();
    if (type != it->type || size < it->bytes.size()) return status(ORT_FAIL, "The size is not enough.");
    std::memcpy(data, it->bytes.data(), it->bytes.size());
    return static_cast<OrtStatus*>(nullptr);
  };
  api.CreateOpAttr = [](const char* name, const void* data, int size, OrtOpAttrType type,
                        OrtOpAttr** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    const Shortage spared(false);
    const size_t bytes = type == ORT_OP_ATTR_INT ? sizeof(int64_t) : static_cast<size_t>(size);
    *out = make<OrtOpAttr>(name, type, std::string(static_cast<const char*>(data), bytes), OrtValue{});
    return static_cast<OrtStatus*>(nullptr);
  };
  api.ReleaseOpAttr = release<OrtOpAttr>;
}

void add_graphs(OrtApi& api) {
  NNRT_FAKE_LIST(api, OrtGraph, OrtNode, Graph_GetNumNodes, Graph_GetNodes, nodes);
  NNRT_FAKE_LIST(api, OrtGraph, OrtValueInfo, Graph_GetNumInputs, Graph_GetInputs, inputs);
  NNRT_FAKE_LIST(api, OrtGraph, OrtValueInfo, Graph_GetNumOutputs, Graph_GetOutputs, outputs);
  NNRT_FAKE_LIST(api, OrtGraph, OrtValueInfo, Graph_GetNumInitializers, Graph_GetInitializers, constants);
  NNRT_FAKE_GET(api, OrtGraph, const OrtNode*, Graph_GetParentNode, it.parent);
  NNRT_FAKE_TEXT(api, OrtGraph, Graph_GetModelPath, path);
  NNRT_FAKE_GET(api, OrtGraph, size_t, Graph_GetNumOperatorSets, it.opsets.size());
  api.Graph_GetOperatorSets = [](const OrtGraph* it, const char** domains, int64_t* versions,
                                 size_t count) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    for (size_t i = 0; i < count; ++i)
      std::tie(domains[i], versions[i]) = std::pair(it->opsets[i].first.c_str(), it->opsets[i].second);
    return static_cast<OrtStatus*>(nullptr);
  };
  NNRT_FAKE_LIST(api, OrtNode, OrtValueInfo, Node_GetNumInputs, Node_GetInputs, inputs);
  NNRT_FAKE_LIST(api, OrtNode, OrtValueInfo, Node_GetNumOutputs, Node_GetOutputs, outputs);
  NNRT_FAKE_LIST(api, OrtNode, OrtValueInfo, Node_GetNumImplicitInputs, Node_GetImplicitInputs, outer);
  NNRT_FAKE_LIST(api, OrtNode, OrtOpAttr, Node_GetNumAttributes, Node_GetAttributes, attributes);
  NNRT_FAKE_TEXT(api, OrtNode, Node_GetName, name);
  NNRT_FAKE_TEXT(api, OrtNode, Node_GetOperatorType, type);
  NNRT_FAKE_TEXT(api, OrtNode, Node_GetDomain, domain);
  NNRT_FAKE_GET(api, OrtNode, const OrtGraph*, Node_GetGraph, it.graph);
  NNRT_FAKE_GET(api, OrtNode, size_t, Node_GetNumSubgraphs, it.bodies.size());
  api.Node_GetSubgraphs = [](const OrtNode* it, const OrtGraph** bodies, size_t count,
                             const char** names) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    for (size_t i = 0; i < count; ++i) {
      names[i] = it->bodies[i].first.c_str();
      bodies[i] = it->bodies[i].second;
    }
    return static_cast<OrtStatus*>(nullptr);
  };
  api.ReleaseNode = release<OrtNode>;
}

void add_runs(OrtApi& api) {
  NNRT_FAKE_GET(api, OrtKernelContext, size_t, KernelContext_GetInputCount, it.inputs.size());
  api.KernelContext_GetInput = [](const OrtKernelContext* it, size_t index, const OrtValue** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    *out = it->inputs[index];
    return static_cast<OrtStatus*>(nullptr);
  };
  api.KernelContext_GetOutput = [](OrtKernelContext* it, size_t index, const int64_t* shape, size_t rank,
                                   OrtValue** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    const Shortage spared(false);
    OrtValue& value = it->outputs[index];
    value.info = {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {shape, shape + rank}};
    size_t count = 1;
    for (size_t i = 0; i < rank; ++i) count *= static_cast<size_t>(shape[i]);
    value.data.resize(count);
    *out = &value;
    return static_cast<OrtStatus*>(nullptr);
  };
}

OrtEpApi make_ep_api() {
  OrtEpApi api{};
  api.CreateEpDevice = [](OrtEpFactory*, const OrtHardwareDevice* hardware, const OrtKeyValuePairs* metadata,
                          const OrtKeyValuePairs*, OrtEpDevice** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    *out = make<OrtEpDevice>(*metadata, hardware, nullptr);
    return static_cast<OrtStatus*>(nullptr);
  };
  api.EpDevice_AddAllocatorInfo = [](OrtEpDevice* it, const OrtMemoryInfo* memory) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    it->memory = memory;
    return static_cast<OrtStatus*>(nullptr);
  };
  api.ReleaseEpDevice = release<OrtEpDevice>;
  api.EpGraphSupportInfo_AddNodesToFuse = [](OrtEpGraphSupportInfo* it, const OrtNode* const* nodes,
                                             size_t count, const OrtNodeFusionOptions*) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    const Shortage spared(false);
    it->groups.emplace_back(nodes, nodes + count);
    return static_cast<OrtStatus*>(nullptr);
  };
  return api;
}

OrtModelEditorApi make_editor_api() {
  OrtModelEditorApi api{};
  // The node has attributes, but its values are only names, which the tests do not read.
  api.CreateNode = [](const char* type, const char* domain, const char* name, const char* const*, size_t,
                      const char* const*, size_t, OrtOpAttr** attributes, size_t count,
                      OrtNode** out) noexcept {
    if (OrtStatus* const failed = answer()) return failed;
    const Shortage spared(false);
    OrtNode* const node = make<OrtNode>();
    node->name = name;
    node->type = type;
    node->domain = domain;
    for (size_t i = 0; i < count; ++i) node->attributes.push_back(*attributes[i]);
    *out = node;
    return static_cast<OrtStatus*>(nullptr);
  };
  return api;
}

OrtApi make_api() {
  OrtApi api{};
  add_objects(api);
  add_tensors(api);
  add_attributes(api);
  add_graphs(api);
  add_runs(api);
  api.GetEpApi = [] {
    static const OrtEpApi made = make_ep_api();
    return &made;
  };
  api.GetModelEditorApi = [] {
    static const OrtModelEditorApi made = make_editor_api();
    return &made;
  };
  return api;
}

}  // namespace

const OrtApiBase& fake_ort() {
  static const OrtApiBase base{[](uint32_t version) noexcept -> const OrtApi* {
                                 static const OrtApi api = make_api();
                                 return version <= ORT_API_VERSION ? &api : nullptr;
                               },
                               []() noexcept { return "1.25.0"; }};
  return base;
}

void refuse_call(int number) {
  calls_left = number;
  refused = false;
}
bool has_refused() { return refused; }
int live_objects() { return live; }

std::string message_of(OrtStatus* status) {
  if (status == nullptr) return "";
  const std::string message = status->message;
  release(status);
  return message;
}

}  // namespace nnrt::ep
