// Loads devices from shared libraries.
#pragma once

#include "core/device/device.h"

#include <memory>
#include <string_view>
#include <vector>

namespace nnrt::plugin {

// `paths`: colon-separated libraries, loaded in order. A faulty library is logged and skipped.
std::vector<std::shared_ptr<Device>> load_devices(std::string_view paths);

}  // namespace nnrt::plugin
