#include "api/base/api_enums.h"
#include "api/base/boundary.h"
#include "api/base/client_name.h"
#include "backends/devices.h"

#include <neural_network_runtime/neural_network_core.h>

using namespace nnrt;

OH_NN_ReturnCode OH_NNDevice_GetAllDevicesID(const size_t** allDevicesID, uint32_t* deviceCount) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require_empty("allDevicesID", allDevicesID));
    NNRT_TRY(require({{"deviceCount", deviceCount}}));
    const auto ids = device_registry().ids();
    *allDevicesID = ids.empty() ? nullptr : ids.data();
    *deviceCount = static_cast<uint32_t>(ids.size());
    return {};
  });
}

OH_NN_ReturnCode OH_NNDevice_GetName(size_t deviceID, const char** name) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require_empty("name", name));
    const Device* device = device_registry().find(deviceID);
    if (device == nullptr) return Error{Code::failed, cat("Device (", deviceID, ") does not exist.")};
    *name = client_name(*device);
    return {};
  });
}

OH_NN_ReturnCode OH_NNDevice_GetType(size_t deviceID, OH_NN_DeviceType* deviceType) {
  return guard(__func__, {{"deviceType", deviceType}}, [&]() -> Status {
    const Device* device = device_registry().find(deviceID);
    if (device == nullptr) return invalid("Device (", deviceID, ") does not exist.");
    NNRT_ASSIGN(const DeviceType type, device->type());
    *deviceType = to_c(type);
    return {};
  });
}
