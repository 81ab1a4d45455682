// Measures what a device takes for a few small graphs.
#pragma once

#include "core/device/device.h"

namespace nnrt {

// Some ten milliseconds. What the device does not take, or there is no time for, stays as in `table`.
DeviceCosts measure_costs(Device& device, const DeviceCosts& table);

}  // namespace nnrt
