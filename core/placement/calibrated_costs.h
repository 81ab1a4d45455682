// The costs of a device on this machine: measured where its table is only a guess.
#pragma once

#include "core/device/device.h"

namespace nnrt {

// The costs of one of `members`, between which a choice is to be made. Measured if one that is no CPU is
// known only roughly: drivers in software are in the table, and alone beside a CPU they never are the faster
// choice.
// A device is measured once in a process, and once on a machine where there is a file to keep that in:
// NNRT_COSTS, or else nnrt/costs in XDG_CACHE_HOME. NNRT_COSTS=off: the table is all there is.
DeviceCosts calibrated_costs(Device& device, std::span<Device* const> members);

}  // namespace nnrt
