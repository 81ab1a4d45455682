// Measures the time that a device takes for a few small graphs.
#pragma once

#include "core/device/device.h"

namespace nnrt {

// A tenth of a second at most, once the device is open. Costs of what the device does not support, or there
// is no time for, stay as in `table`; it is `table`, rough as that is, where nothing could be measured.
DeviceCosts measure_costs(Device& device, const DeviceCosts& table);

}  // namespace nnrt
