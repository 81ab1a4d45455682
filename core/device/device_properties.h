// What a device tells of itself.
#pragma once

#include "core/device/device.h"

#include <string>
#include <string_view>

namespace nnrt {

// A property that is text; empty if the device has none of this name.
std::string text_property(const Device& device, std::string_view name);

// A Vulkan driver that runs on the CPU.
bool is_software_gpu(const Device& device);

}  // namespace nnrt
