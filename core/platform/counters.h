// Numbers about this process that tests and benchmarks read.
#pragma once

#include <atomic>
#include <cstdint>

namespace nnrt {

struct Counters {
  std::atomic<uint64_t> bytes_copied{
      0};  // tensor data moved by the CPU with memcpy, API 9's copying calls excluded
  std::atomic<uint64_t> device_copies{
      0};  // copies that a device made because memory could not be bound directly
  std::atomic<uint64_t> driver_nanoseconds{0};  // compiling shaders, by drivers and for them
};

Counters& counters();

// Adds to bytes_copied and to the trace.
void count_copied(uint64_t bytes);

}  // namespace nnrt
