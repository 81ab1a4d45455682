// The number of a device's cores (streaming multiprocessors, compute units, CPU cores). Each runs several
// workgroups at once, so kernels need at least that many workgroups.
#pragma once

#include "backends/vulkan/device/device_snapshot.h"

#include <cstdint>

namespace nnrt::vulkan {

// As reported by the driver; 0: not reported.
uint32_t reported_cores(VkPhysicalDevice_T* device, const Snapshot& snapshot);

// As reported, or a typical number for the vendor and kind. Never 0.
uint32_t cores_of(const Snapshot& snapshot);

}  // namespace nnrt::vulkan
