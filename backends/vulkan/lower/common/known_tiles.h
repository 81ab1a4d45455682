// Tiles that are known to be the fastest, from measurements of whole series of kernels.
#pragma once

#include "backends/vulkan/device/device_plan.h"

namespace nnrt::vulkan {

// Null where the table has nothing for the device or the class. It lasts.
const TileOption* known_tile(const TileClass& of, const DevicePlan& plan);

}  // namespace nnrt::vulkan
