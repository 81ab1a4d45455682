// The CPU device: runs everything, plainly and correctly.
#pragma once

#include "core/device.h"

#include <memory>

namespace nnrt::cpu {

inline constexpr std::string_view kDeviceName = "CPU_NNRt";

std::shared_ptr<Device> make_device();

}  // namespace nnrt::cpu
