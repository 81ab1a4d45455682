// Addresses without memory.
#pragma once

#include <cstddef>
#include <memory>

namespace nnrt {

// A range of inaccessible pages; mprotect() makes them usable. Small ranges share mappings: a system call for
// each would cost more than reading its contents, and would block page faults of other threads.
class ReservedPages {
 public:
  // Aligned to huge pages from kHugePageBytes on. Throws std::bad_alloc.
  explicit ReservedPages(size_t bytes);
  // Returns the memory.
  ~ReservedPages();
  ReservedPages(const ReservedPages&) = delete;
  ReservedPages& operator=(const ReservedPages&) = delete;

  std::byte* data() const { return start_; }
  // Call before mprotect().
  void set_used() { is_used_ = true; }

 private:
  class Mapping;
  class SharedMappings;

  std::shared_ptr<Mapping> mapping_;
  std::byte* start_ = nullptr;
  size_t bytes_ = 0;
  bool is_shared_ = false, is_used_ = false;
};

}  // namespace nnrt
