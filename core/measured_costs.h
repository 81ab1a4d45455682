// The costs of a device on this machine: measured where its table is only a guess.
#pragma once

#include "core/device.h"

namespace nnrt {

// Of one of `members`.
DeviceCosts measured_costs(Device& device, std::span<Device* const> members);

}  // namespace nnrt
