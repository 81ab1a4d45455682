// The CPU device, which supports every operator.
#pragma once

#include "core/device/device.h"

#include <memory>

namespace nnrt::cpu {

inline constexpr std::string_view kDeviceName = "CPU_NNRt";

std::shared_ptr<Device> make_device();

// Threads a run may use: one at low performance, half of `all` at medium.
unsigned threads_for(PerformanceMode mode, unsigned all);
// At most as many as "nnrt.threads" permits.
unsigned threads_for(const CompileOptions& options, unsigned all);

}  // namespace nnrt::cpu
