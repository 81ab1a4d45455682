// Counts system resources held by this process.
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace api_tests {

struct Held {
  std::ptrdiff_t files, threads;
  size_t heap, resident;  // bytes
};

inline std::ptrdiff_t entries(const char* directory) {
  return std::distance(std::filesystem::directory_iterator(directory), {});
}

// Sanitizers do not count heap bytes.
inline Held held() {
  const auto heap = mallinfo2();
  size_t pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident_pages;
  return {entries("/proc/self/fd"), entries("/proc/self/task"), heap.uordblks + heap.hblkhd,
          resident_pages * static_cast<size_t>(sysconf(_SC_PAGESIZE))};
}

// Restarts the peak of resident bytes.
inline void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

inline size_t peak_resident() {
  std::ifstream file("/proc/self/status");
  size_t kibibytes = 0;
  for (std::string word; file >> word;)
    if (word == "VmHWM:" && file >> kibibytes) break;
  return kibibytes * 1024;
}

inline void expect_no_more(const Held& after, const Held& before, size_t heap_bytes) {
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_LT(after.heap, before.heap + heap_bytes);
}

}  // namespace api_tests
