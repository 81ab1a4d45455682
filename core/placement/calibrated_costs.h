// Device costs on this machine: measured if the table only has an estimate.
#pragma once

#include "core/device/device.h"

namespace nnrt {

// The costs of a device that is one of the `members` to choose from. Measured only if a member other than a
// CPU has rough costs: software drivers have table entries, and next to a CPU they are never the faster
// choice.
// A device is measured once per process, or once per machine if there is a file to store the result:
// NNRT_COSTS, otherwise nnrt/costs in XDG_CACHE_HOME. NNRT_COSTS=off: always use the table.
DeviceCosts calibrated_costs(Device& device, std::span<Device* const> members);

}  // namespace nnrt
