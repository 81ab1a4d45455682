// The Vulkan devices of this machine.
#pragma once

#include "core/device/device.h"

#include <memory>
#include <vector>

namespace nnrt::vulkan {

// All physical devices with a compute queue, ordered: discrete, integrated, virtual, software. Empty without
// a loader or a working driver; logs the reason.
std::vector<std::shared_ptr<Device>> find_devices();

}  // namespace nnrt::vulkan
