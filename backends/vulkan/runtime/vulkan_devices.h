// The Vulkan devices of this machine.
#pragma once

#include "core/device/device.h"

#include <memory>
#include <vector>

namespace nnrt::vulkan {

// Every physical device with a compute queue: discrete GPUs first, then integrated, virtual, software. Empty
// where there is no loader, no driver, or none that works; the reason is logged.
std::vector<std::shared_ptr<Device>> find_devices();

}  // namespace nnrt::vulkan
