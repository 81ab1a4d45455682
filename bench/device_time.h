// The time of a network on the GPU itself by device timestamps, excluding submission, waiting and wake-up.
#pragma once

#include "network_runner.h"

#include <optional>

namespace bench {

struct DeviceTime {
  double kernels_us = 0;    // a run whose tensors stay in device memory (on a GPU that has its own)
  double transfers_us = 0;  // copies of inputs and outputs otherwise
};

// Runs the network `runs` times each way and returns the medians. Afterwards its tensors stay on the device.
// Empty if the device is not a GPU or has no timestamps.
std::optional<DeviceTime> device_time(NetworkRunner& runner, int runs);

}  // namespace bench
