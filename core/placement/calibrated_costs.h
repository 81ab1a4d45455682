// Device costs on this machine: measured if the table only has an estimate.
#pragma once

#include "core/device/device.h"

#include <optional>

namespace nnrt {

// The costs of a device that is one of the `members` to choose from. Measured only if a member other than a
// CPU has rough costs: software drivers have table entries, and next to a CPU they are never the faster
// choice.
// A device is measured once per process, or once per machine if there is a file to store the result:
// NNRT_COSTS, otherwise nnrt/costs in XDG_CACHE_HOME. NNRT_COSTS=off: always use the table.
DeviceCosts calibrated_costs(Device& device, std::span<Device* const> members);

// The measured costs returned by calibrated_costs() in this process; empty if it returned the table's.
std::optional<DeviceCosts> stored_costs(const Device& device);

// Replaces the measured costs of a device, here and in the file. No effect on a device without any.
void keep_costs(const Device& device, const DeviceCosts& costs);

}  // namespace nnrt
