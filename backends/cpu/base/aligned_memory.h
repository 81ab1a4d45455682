// Aligned temporary memory for runs.
#pragma once

#include "core/base/result.h"
#include "core/memory/pages.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace nnrt::cpu {

inline constexpr size_t kMemoryAlignment = 64;

struct FreeAligned {
  size_t in_pages = 0;  // 0: from the heap
  void operator()(std::byte* data) const {
    if (in_pages > 0) return FreePages{in_pages}(data);
    std::free(data);
  }
};

// Uninitialized, aligned to kMemoryAlignment.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  // From the heap, which reuses the memory of earlier runs. Code::memory if allocation fails.
  static Result<AlignedMemory> allocate(size_t bytes);
  // For memory that outlives a run: in huge pages if it is large.
  static Result<AlignedMemory> allocate_kept(size_t bytes);

  std::byte* data() const { return data_.get(); }
  size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<std::byte[], FreeAligned> data_;
  size_t bytes_ = 0;
};

// Throw std::bad_alloc if allocation fails.
AlignedMemory allocate_or_throw(size_t bytes);
AlignedMemory allocate_kept_or_throw(size_t bytes);

// Kernel scratch memory: one block per thread of a loop (indexed by the `worker` of ThreadPool::parallel_for)
// plus one shared block. Blocks persist across runs, so nothing is allocated once every kernel has run.
// Contents are unspecified and are lost at the worker's next request.
class Scratch {
 public:
  explicit Scratch(unsigned threads) : blocks_(threads + 1) {}

  // Preallocates for a loop whose workers will each need `bytes`, so that late joiners don't allocate. Like
  // the other functions, throws std::bad_alloc.
  void reserve(unsigned workers, size_t bytes) {
    for (unsigned worker = 0; worker < workers; ++worker) grown(blocks_[worker], bytes);
  }
  std::byte* of_worker(unsigned worker, size_t bytes) { return grown(blocks_[worker], bytes); }
  std::byte* of_all(size_t bytes) { return grown(blocks_.back(), bytes); }

 private:
  static std::byte* grown(AlignedMemory& block, size_t bytes) {
    if (block.bytes() < bytes) block = allocate_kept_or_throw(rounded(bytes));
    return block.data();
  }
  // Room to grow in pages that are only in memory once they are used.
  static size_t rounded(size_t bytes) {
    constexpr size_t kFromPages = size_t{128} << 10, kRoom = size_t{1} << 20;
    return bytes < kFromPages ? bytes : std::max(bytes, kRoom);
  }
  std::vector<AlignedMemory> blocks_;
};

// Caches a few freed blocks to serve requests of similar size.
class MemoryPool {
 public:
  Result<AlignedMemory> acquire(size_t bytes);
  void release(AlignedMemory block);

 private:
  std::vector<AlignedMemory> free_;  // by size, smallest first
};

}  // namespace nnrt::cpu
