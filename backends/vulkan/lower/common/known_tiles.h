// Tiles known to be the fastest, from measured sweeps.
#pragma once

#include "backends/vulkan/device/device_plan.h"

namespace nnrt::vulkan {

// Null if the table has no entry for the device or the class. The pointer stays valid.
const TileOption* known_tile(const TileClass& of, const DevicePlan& plan);

}  // namespace nnrt::vulkan
