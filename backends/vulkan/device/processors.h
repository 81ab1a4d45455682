// The processors of a device (streaming multiprocessors, compute units, cores): each has some workgroups at
// once, so that kernels must be cut into so many parts at least.
#pragma once

#include "backends/vulkan/device/device_snapshot.h"

#include <cstdint>

namespace nnrt::vulkan {

// As the driver tells them; 0: it does not.
uint32_t reported_processors(VkPhysicalDevice_T* device, const Snapshot& snapshot);

// As the driver told them, or as many as devices of that kind and vendor have. Never 0.
uint32_t processors_of(const Snapshot& snapshot);

}  // namespace nnrt::vulkan
