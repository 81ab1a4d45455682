// The limits of a device, measured in the same process as what is compared with them.
#pragma once

#include <string>

namespace bench {

struct Limits {
  double operations = 0;  // in a second, float32: independent multiply-adds, two operations each
  double bytes = 0;       // in a second, read and written, of a plain copy of 64 MiB
};

// The limits of all threads that the CPU device uses.
Limits cpu_limits();
// The limits of the GPU device of that name; {0, 0} if there is none.
Limits gpu_limits(const std::string& device);

}  // namespace bench
