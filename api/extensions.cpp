#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/base/client_name.h"
#include "api/execution/nn_executor.h"
#include "backends/devices.h"
#include "core/base/call_error.h"
#include "core/base/json.h"
#include "core/cache/build_cache.h"
#include "core/runtime/operation_refusals.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <cstring>
#include <memory>

namespace nnrt {
namespace {

struct ToJson {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(uint64_t value) const { return std::to_string(value); }
  std::string operator()(const std::string& value) const { return json_string(value); }
};

std::string_view name_of(DeviceType type) {
  constexpr std::string_view kNames[] = {"other", "cpu", "gpu", "accelerator"};
  return kNames[static_cast<size_t>(type)];
}

std::string describe(const Device& device) {
  const DeviceInfo& info = device.info();
  const auto type = device.type();
  std::string json =
      cat("{\"id\":\"", info.id, "\",\"name\":", json_string(client_name(device)), ",\"type\":\"",
          name_of(type.ok() ? type.value() : DeviceType::others), "\",\"vendor\":", json_string(info.vendor));
  for (const DeviceProperty& property : device.properties()) {
    json += cat(',', json_string(property.name), ':', std::visit(ToJson{}, property.value));
  }
  return json + "}";
}

std::string explain(const Refusal& refusal, const Device& device) {
  JsonObject answer;
  answer.add("id", std::to_string(device.info().id))
      .add("name", client_name(device))
      .add_json("supports", refusal ? "false" : "true");
  if (refusal) answer.add("reason", *refusal);
  return answer.text();
}

// A device that cannot answer supports nothing; nodes that it gives no answer for are not supported either.
std::vector<Refusal> answers_of(const Device& device, const OperationRefusals& by_device, size_t count) {
  auto found = by_device.by(device);
  if (!found.ok()) return std::vector<Refusal>(count, found.error().message);
  found.value().resize(count, "The device did not answer.");
  return std::move(found).value();
}

Result<std::string> explain(const GraphPtr& graph) {
  NNRT_ASSIGN(const OperationRefusals by_device, OperationRefusals::of(graph));
  std::vector<std::string> devices(graph->nodes.size());
  const DeviceRegistry& registry = device_registry();
  for (const size_t id : registry.ids()) {
    const Device& device = *registry.find(id);
    const std::vector<Refusal> refusals = answers_of(device, by_device, devices.size());
    for (size_t i = 0; i < devices.size(); ++i)
      devices[i] += (devices[i].empty() ? "" : ",") + explain(refusals[i], device);
  }
  std::string json;
  for (const Node& node : graph->nodes) {
    JsonObject operation;
    operation.add("operator", short_name(node.op)).add_json("devices", cat('[', devices[node.position], ']'));
    json += (json.empty() ? "" : ",") + operation.text();
  }
  return cat('[', json, ']');
}

std::string describe(const OfflineModelOrigin& origin) {
  return JsonObject()
      .add("device_id", std::to_string(origin.device.id))
      .add("device", origin.device.name)
      .add_json("float16", origin.float16 ? "true" : "false")
      .text();
}

// The client's data. Does not release it before it is armed, so that a failed call leaves it to the client.
class LentData {
 public:
  LentData(void (*release)(void*), void* context) : release_(release), context_(context) {}
  ~LentData() {
    if (armed_ && release_ != nullptr) release_(context_);
  }
  LentData(const LentData&) = delete;
  LentData& operator=(const LentData&) = delete;
  void arm() { armed_ = true; }

 private:
  void (*release_)(void*);
  void* context_;
  bool armed_ = false;
};

// For functions that return text.
Status write_text(const std::string& answer, char* text, size_t capacity, size_t* length) {
  *length = answer.size();
  if (capacity == 0) return {};
  if (capacity <= answer.size())
    return invalid("Capacity (", capacity, ") is less than ", answer.size() + 1, ".");
  std::memcpy(text, answer.c_str(), answer.size() + 1);
  return {};
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

OH_NN_ReturnCode OH_NNRt_DescribeDevice(size_t deviceID, char* text, size_t capacity, size_t* length) {
  return guard(__func__, {{"length", length}}, [&]() -> Status {
    if (capacity > 0) NNRT_TRY(require({{"text", text}}));
    const Device* device = device_registry().find(deviceID);
    if (device == nullptr) return Error{Code::failed, cat("Device (", deviceID, ") does not exist.")};
    return write_text(describe(*device), text, capacity, length);
  });
}

OH_NN_ReturnCode OH_NNRt_FindDevice(OH_NN_DeviceType deviceType, size_t* deviceID) {
  return guard(__func__, {{"deviceID", deviceID}}, [&]() -> Status {
    if (deviceType < OH_NN_OTHERS || deviceType > OH_NN_ACCELERATOR)
      return invalid("The device type (", int(deviceType), ") does not exist.");
    const Device* device = device_registry().first_of(static_cast<DeviceType>(deviceType));
    if (device == nullptr)
      return Error{Code::failed,
                   cat("There is no ", name_of(static_cast<DeviceType>(deviceType)), " device.")};
    *deviceID = device->info().id;
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_DescribeOfflineModel(const char* modelPath, char* text, size_t capacity,
                                              size_t* length) {
  return guard(__func__, {{"modelPath", modelPath}, {"length", length}}, [&]() -> Status {
    if (capacity > 0) NNRT_TRY(require({{"text", text}}));
    NNRT_ASSIGN(const auto origin, origin_of_offline_model(modelPath));
    return write_text(origin ? describe(*origin) : "{}", text, capacity, length);
  });
}

OH_NN_ReturnCode OH_NNRt_SetModelNote(OH_NNCompilation* compilation, const void* note, size_t size) {
  return guard(__func__, {{"compilation", compilation}}, [&]() -> Status {
    if (size > 0) NNRT_TRY(require({{"note", note}}));
    const auto* bytes = static_cast<const std::byte*>(note);
    compilation->note.assign(bytes, bytes + size);
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_GetModelNote(const char* modelPath, void* note, size_t capacity, size_t* size) {
  return guard(__func__, {{"modelPath", modelPath}, {"size", size}}, [&]() -> Status {
    if (capacity > 0) NNRT_TRY(require({{"note", note}}));
    NNRT_ASSIGN(const Bytes found, note_of_offline_model(modelPath));
    *size = found.size();
    if (capacity == 0 || found.empty()) return {};
    if (capacity < found.size()) return invalid("Capacity (", capacity, ") is less than ", found.size(), ".");
    std::memcpy(note, found.data(), found.size());
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_ExplainOperations(const OH_NNModel* model, char* text, size_t capacity,
                                           size_t* length) {
  return guard(__func__, {{"model", model}, {"length", length}}, [&]() -> Status {
    if (capacity > 0) NNRT_TRY(require({{"text", text}}));
    const GraphPtr& graph = model->shared->builder.graph();
    if (!graph) return forbidden("The model is not finished.");
    NNRT_ASSIGN(const std::string answer, explain(graph));
    return write_text(answer, text, capacity, length);
  });
}

OH_NN_ReturnCode OH_NNRt_LendTensorData(OH_NNModel* model, uint32_t index, const void* data, size_t length,
                                        void (*release)(void* context), void* context) {
  return guard(__func__, {{"model", model}, {"data", data}}, [&]() -> Status {
    const auto lent = std::make_shared<LentData>(release, context);
    NNRT_TRY(model->shared->builder.lend_data(
        index, SharedBytes(lent, {static_cast<const std::byte*>(data), length})));
    lent->arm();
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_LendTransposedData(OH_NNModel* model, uint32_t index, const void* data,
                                            size_t length, const uint32_t* order, size_t rank,
                                            void (*release)(void* context), void* context) {
  return guard(__func__, {{"model", model}, {"data", data}, {"order", order}}, [&]() -> Status {
    const auto lent = std::make_shared<LentData>(release, context);
    NNRT_TRY(model->shared->builder.lend_transposed(
        index, SharedBytes(lent, {static_cast<const std::byte*>(data), length}), {order, rank}));
    lent->arm();
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_MayShareMemory(const OH_NNExecutor* executor, size_t inputIndex, size_t outputIndex,
                                        bool* may) {
  return guard(__func__, {{"executor", executor}, {"may", may}}, [&]() -> Status {
    const Graph& graph = executor->graph();
    if (inputIndex >= graph.inputs.size() || outputIndex >= graph.outputs.size()) {
      return invalid("Input (", inputIndex, ") or output (", outputIndex, ") does not exist: there are ",
                     graph.inputs.size(), " and ", graph.outputs.size(), ".");
    }
    *may = executor->execution.may_share(inputIndex, outputIndex);
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_KeepOnDevice(NN_Tensor* tensor) {
  return guard(__func__, {{"tensor", tensor}}, [&]() -> Status {
    if (tensor->residence != nullptr) return {};
    const TensorPlace& place = *tensor->place;
    if (place.memory->read_only()) return invalid("The tensor's memory is read-only.");
    if (place.may_grow) return invalid("The tensor may grow in runs, so it cannot be kept on a device.");
    tensor->residence =
        std::make_shared<Residence>(TensorView{place.memory, place.offset, place.size - place.offset, {}});
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_GrowInRuns(NN_Tensor* tensor) {
  return guard(__func__, {{"tensor", tensor}}, [&]() -> Status {
    if (!tensor->place->is_own) return invalid("The tensor's memory belongs to the client.");
    if (tensor->residence != nullptr) return invalid("The tensor is kept on a device, so it cannot grow.");
    tensor->place->may_grow = true;
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_SyncTensor(NN_Tensor* tensor, OH_NNRt_SyncDirection direction) {
  return guard(__func__, {{"tensor", tensor}}, [&]() -> Status {
    if (direction != OH_NNRT_SYNC_TO_HOST && direction != OH_NNRT_SYNC_FROM_HOST)
      return invalid("The direction (", int(direction), ") is neither to the host nor from it.");
    if (tensor->residence == nullptr) return {};
    if (direction == OH_NNRT_SYNC_TO_HOST) return tensor->residence->read_back();
    tensor->residence->forget();
    return {};
  });
}

// Cannot throw. Its own errors are not kept, so the last error survives. Also works in a forked child.
OH_NN_ReturnCode OH_NNRt_GetLastError(char* text, size_t capacity, size_t* length) {
  return copy_call_error(text, capacity, length) ? OH_NN_SUCCESS : OH_NN_INVALID_PARAMETER;
}
