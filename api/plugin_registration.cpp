// Devices that a program registers (hdi/plugin.h).
#include "api/base/boundary.h"
#include "backends/devices.h"

#include <neural_network_runtime/hdi/plugin.h>

using namespace nnrt;

int32_t OH_NNRt_RegisterDevice(uint32_t abi, const std::shared_ptr<hdi::V2_0::INnrtDevice>* device) {
  return guard(__func__, [&]() -> Status {
    if (abi != hdi::kPluginAbi)
      return invalid("Version (", abi, ") of the plugin interface is not ", hdi::kPluginAbi, ".");
    NNRT_TRY(require({{"device", device}}));
    if (*device == nullptr) return invalid("The device is null.");
    NNRT_ASSIGN(auto made, plugin_device(*device));
    return register_device(std::move(made));
  });
}
