// Process-wide counters for tests and benchmarks.
#pragma once

#include <atomic>
#include <cstdint>

namespace nnrt {

struct Counters {
  std::atomic<uint64_t> bytes_copied{0};        // tensor data copied by the CPU, except API 9's copying calls
  std::atomic<uint64_t> device_copies{0};       // device copies of memory that could not be bound directly
  std::atomic<uint64_t> driver_nanoseconds{0};  // time spent compiling shaders
};

Counters& counters();

// Updates bytes_copied and the trace.
void count_copied(uint64_t bytes);

}  // namespace nnrt
