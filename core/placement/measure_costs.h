// Measures device costs with a few small graphs.
#pragma once

#include "core/device/device.h"

namespace nnrt {

// Takes a tenth of a second at most once the device is open. Costs that the device does not support, or that
// exceed the time budget, are taken from `table`; returns `table`, still rough, if nothing could be measured.
DeviceCosts measure_costs(Device& device, const DeviceCosts& table);

}  // namespace nnrt
