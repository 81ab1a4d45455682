// Measures the time that a device takes for a few small graphs.
#pragma once

#include "core/device/device.h"

namespace nnrt {

// Some ten milliseconds. Costs of what the device does not support, or there is no time for, stay as in
// `table`.
DeviceCosts measure_costs(Device& device, const DeviceCosts& table);

}  // namespace nnrt
