// The memory of this process, from /proc/self/status.
#pragma once

#include <fstream>
#include <string>

namespace bench {

// A row such as "VmHWM:" (peak) or "VmRSS:", in megabytes; 0 if it is missing.
inline double megabytes(const std::string& row) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == row && status >> kibibytes) return kibibytes * 1024 / 1e6;
  }
  return 0;
}

}  // namespace bench
