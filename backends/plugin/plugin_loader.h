// Devices from shared libraries.
#pragma once

#include "core/device/device.h"

#include <memory>
#include <string_view>
#include <vector>

namespace nnrt::plugin {

// Loads the devices of each library of a list of paths with colons between them, in its order. A faulty
// library is one line in the log; the others are loaded all the same.
std::vector<std::shared_ptr<Device>> load_devices(std::string_view paths);

}  // namespace nnrt::plugin
