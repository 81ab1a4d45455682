// The time of a network on a GPU itself, by the device's timestamps: without submitting, waiting and waking.
#pragma once

#include "network_runner.h"

#include <optional>

namespace bench {

struct DeviceTime {
  double kernels_us = 0;    // a run whose tensors stay in the device's memory, where it has one of its own
  double transfers_us = 0;  // copies of inputs and outputs, where they do not stay there
};

// Runs the network so many times each way; the medians. Afterwards its tensors are kept on the device.
// Nothing where the device is no GPU or has no timestamps.
std::optional<DeviceTime> device_time(NetworkRunner& runner, int runs);

}  // namespace bench
