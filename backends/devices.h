// The devices of this process: the built-in ones, those of plugins, and those that run in processes of their
// own.
#pragma once

#include "core/device/device_registry.h"

namespace nnrt::hdi::V2_0 {
class INnrtDevice;
}

namespace nnrt {

// The process-wide registry. Its devices are never destroyed: drivers do not survive exit handlers.
DeviceRegistry& device_registry();

// In the order of sort_devices().
std::vector<std::shared_ptr<Device>> builtin_devices(const BuiltinSelection& selection);

// Wraps a plugin's object as a device.
Result<std::shared_ptr<Device>> plugin_device(std::shared_ptr<hdi::V2_0::INnrtDevice> driver);

}  // namespace nnrt
