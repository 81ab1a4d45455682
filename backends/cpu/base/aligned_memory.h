// Memory for what a run computes on its way.
#pragma once

#include "core/base/result.h"

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

// Throws std::bad_alloc where the system has no more.
AlignedMemory allocate_or_throw(size_t bytes);

// Working memory of kernels: a block for each thread of a loop (by the `worker` of ThreadPool::parallel_for)
// and one for all of them. Kept from run to run, so that once each kernel ran nothing is allocated. Contents
// are unspecified, and gone with the next block that the same worker asks for.
class Scratch {
 public:
  explicit Scratch(unsigned threads) : blocks_(threads + 1) {}

  // Before a loop whose workers will ask for as much: who comes in late then allocates nothing. This and the
  // others throw std::bad_alloc.
  void reserve(unsigned workers, size_t bytes) {
    for (unsigned worker = 0; worker < workers; ++worker) grown(blocks_[worker], bytes);
  }
  std::byte* of_worker(unsigned worker, size_t bytes) { return grown(blocks_[worker], bytes); }
  std::byte* of_all(size_t bytes) { return grown(blocks_.back(), bytes); }

 private:
  static std::byte* grown(AlignedMemory& block, size_t bytes) {
    if (block.bytes() < bytes) block = allocate_or_throw(bytes);
    return block.data();
  }
  std::vector<AlignedMemory> blocks_;
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
