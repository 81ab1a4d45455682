// The CPU device: runs everything, plainly and correctly.
#pragma once

#include "core/device/device.h"

#include <memory>

namespace nnrt::cpu {

inline constexpr std::string_view kDeviceName = "CPU_NNRt";

std::shared_ptr<Device> make_device();

// Returns how many of `all` threads a run may have: one if performance is low, half of them if it is medium.
unsigned threads_for(PerformanceMode mode, unsigned all);

}  // namespace nnrt::cpu
