// Device limits, measured in the same process as the results compared with them.
#pragma once

#include <string>

namespace bench {

struct Limits {
  double operations = 0;  // per second, FLOAT32: independent multiply-adds, two operations each
  double copied = 0;      // bytes per second read and written by a buffer copy
  double read = 0;        // bytes per second for read-only access

  // The larger of both.
  double bytes() const { return copied > read ? copied : read; }
};

// Limits of all threads the CPU device uses.
Limits cpu_limits();
// Limits of the GPU device of that name, measured with its timestamps on buffers several times larger than
// its caches; all 0 if there is none.
Limits gpu_limits(const std::string& device);
// Returns whether the device has a software driver.
bool is_software_gpu(const std::string& device);

}  // namespace bench
