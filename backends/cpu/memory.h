// Memory for what a run computes on its way.
#pragma once

#include "core/result.h"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace nnrt::cpu {

inline constexpr size_t kMemoryAlignment = 64;

// Uninitialized, aligned to kMemoryAlignment.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  // Code::memory where the system has no more.
  static Result<AlignedMemory> allocate(size_t bytes);

  std::byte* data() const { return data_.get(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  size_t bytes_ = 0;
};

// Blocks that are given back are kept, a few of them, for requests of about their size.
class MemoryPool {
 public:
  Result<AlignedMemory> acquire(size_t bytes);
  void release(AlignedMemory block);

 private:
  std::vector<AlignedMemory> free_;  // by size, smallest first
};

}  // namespace nnrt::cpu
