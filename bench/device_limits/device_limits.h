// The limits of a device, measured in the same process as what is compared with them.
#pragma once

#include <string>

namespace bench {

struct Limits {
  double operations = 0;  // in a second, float32: independent multiply-adds, two operations each
  double copied = 0;      // bytes in a second, read and written, of a copy from one buffer to another
  double read = 0;        // bytes in a second, of a buffer that is only read

  // Returns the greater of both.
  double bytes() const { return copied > read ? copied : read; }
};

// The limits of all threads that the CPU device uses.
Limits cpu_limits();
// The limits of the GPU device of that name, from buffers several times as large as its caches, by its own
// timestamps; all 0 if there is none.
Limits gpu_limits(const std::string& device);
// Returns whether that is a device of a driver in software.
bool is_software_gpu(const std::string& device);

}  // namespace bench
