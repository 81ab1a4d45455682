// The GPU properties that people and tools see. Pure.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/device/device.h"

namespace nnrt::vulkan {

std::vector<DeviceProperty> device_info_of(const Snapshot& snapshot, const DevicePlan& plan);

}  // namespace nnrt::vulkan
