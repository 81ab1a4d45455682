// The costs of a device on this machine: measured where its table is only a guess.
#pragma once

#include "core/device/device.h"

#include <optional>

namespace nnrt {

// The costs of one of `members`, between which a choice is to be made. Measured if one that is no CPU is
// known only roughly: drivers in software are in the table, and alone beside a CPU they never are the faster
// choice.
// A device is measured once in a process, and once on a machine where there is a file to keep that in:
// NNRT_COSTS, or else nnrt/costs in XDG_CACHE_HOME. NNRT_COSTS=off: the table is all there is.
DeviceCosts calibrated_costs(Device& device, std::span<Device* const> members);

// The measured costs of a device that calibrated_costs() has given in this process; nothing where it has
// given the table's.
std::optional<DeviceCosts> stored_costs(const Device& device);

// From now on those are the costs of a device that has such, here and in the file.
void keep_costs(const Device& device, const DeviceCosts& costs);

}  // namespace nnrt
