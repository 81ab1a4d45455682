// What a device can do at most: measured, in the same process as what is compared with it.
#pragma once

#include <string>

namespace bench {

struct Limits {
  double operations = 0;  // in a second, float32: independent multiply-adds, two operations each
  double bytes = 0;       // in a second, read and written, of a plain copy of 64 MiB
};

// Of all threads that the CPU device uses.
Limits cpu_limits();
// Of the GPU device of that name; {0, 0} where there is none.
Limits gpu_limits(const std::string& device);

}  // namespace bench
