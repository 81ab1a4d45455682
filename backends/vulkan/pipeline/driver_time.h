// Measures shader compile time separately from the rest of Build.
#pragma once

#include "core/device/device.h"
#include "core/platform/counters.h"

namespace nnrt::vulkan {

// Adds its lifetime to Counters::driver_nanoseconds.
class DriverTime {
 public:
  DriverTime() = default;
  ~DriverTime() {
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_);
    counters().driver_nanoseconds += uint64_t(spent.count());
  }
  DriverTime(const DriverTime&) = delete;
  DriverTime& operator=(const DriverTime&) = delete;

 private:
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace nnrt::vulkan
