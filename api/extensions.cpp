#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/execution/nn_executor.h"
#include "core/base/json.h"
#include "core/device/device_registry.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <cstring>

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
      cat("{\"id\":", info.id, ",\"name\":", json_string(info.name), ",\"type\":\"",
          name_of(type.ok() ? type.value() : DeviceType::others), "\",\"vendor\":", json_string(info.vendor));
  for (const DeviceProperty& property : device.properties()) {
    json += cat(',', json_string(property.name), ':', std::visit(ToJson{}, property.value));
  }
  return json + "}";
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

OH_NN_ReturnCode OH_NNRt_DescribeDevice(size_t deviceID, char* text, size_t capacity, size_t* length) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"length", length}}));
    if (capacity > 0) NNRT_TRY(require({{"text", text}}));
    const Device* device = DeviceRegistry::instance().find(deviceID);
    if (device == nullptr) return Error{Code::failed, cat("Device (", deviceID, ") does not exist.")};
    const std::string json = describe(*device);
    *length = json.size();
    if (capacity == 0) return {};
    if (capacity <= json.size()) {
      return invalid("Capacity (", capacity, ") is less than ", json.size() + 1, ".");
    }
    std::memcpy(text, json.c_str(), json.size() + 1);
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_MayShareMemory(const OH_NNExecutor* executor, size_t inputIndex, size_t outputIndex,
                                        bool* may) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"executor", executor}, {"may", may}}));
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
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"tensor", tensor}}));
    if (tensor->residence != nullptr) return {};
    if (tensor->memory->read_only()) return invalid("The tensor's memory is read-only.");
    tensor->residence = std::make_shared<Residence>(
        TensorView{tensor->memory, tensor->offset, tensor->size - tensor->offset, {}});
    return {};
  });
}

OH_NN_ReturnCode OH_NNRt_SyncTensor(NN_Tensor* tensor, OH_NNRt_SyncDirection direction) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"tensor", tensor}}));
    if (direction != OH_NNRT_SYNC_TO_HOST && direction != OH_NNRT_SYNC_FROM_HOST)
      return invalid("The direction (", int(direction), ") is neither to the host nor from it.");
    if (tensor->residence == nullptr) return {};
    if (direction == OH_NNRT_SYNC_TO_HOST) return tensor->residence->read_back();
    tensor->residence->forget();
    return {};
  });
}

// Nothing here can throw, and an error of this function is not kept: the one that is asked for remains. So a
// forked child may ask as well.
OH_NN_ReturnCode OH_NNRt_GetLastError(char* text, size_t capacity, size_t* length) {
  if (length == nullptr || (text == nullptr && capacity > 0)) return OH_NN_INVALID_PARAMETER;
  const std::string& last = last_error();
  *length = last.size();
  if (capacity == 0) return OH_NN_SUCCESS;
  if (capacity <= last.size()) return OH_NN_INVALID_PARAMETER;
  std::memcpy(text, last.c_str(), last.size() + 1);
  return OH_NN_SUCCESS;
}
