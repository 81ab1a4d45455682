// Cost tables of GPUs.
#pragma once

#include "backends/vulkan/device/device_snapshot.h"
#include "core/device/device_costs.h"

namespace nnrt::vulkan {

// Measured for software drivers; an estimate by kind for others.
DeviceCosts expected_costs(const Snapshot& snapshot, bool shares_memory_with_host);

}  // namespace nnrt::vulkan
