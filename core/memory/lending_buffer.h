// A buffer whose parts have separate lifetimes, such as the contents of a model file.
#pragma once

#include "core/base/bytes.h"

#include <cstddef>
#include <memory>
#include <span>

namespace nnrt {

// Once the buffer is destroyed, a page lives as long as the lent parts that touch it; the memory of other
// pages is returned to the system. Parts may overlap, outlive the buffer, and be released by any thread.
class LendingBuffer {
 public:
  // Uninitialized, as by allocate_pages(). Throws std::bad_alloc.
  explicit LendingBuffer(size_t bytes);
  static LendingBuffer copy_of(ByteView bytes);
  ~LendingBuffer();
  LendingBuffer(LendingBuffer&&) noexcept = default;
  LendingBuffer& operator=(LendingBuffer&&) = delete;

  std::span<std::byte> bytes() const;
  // `part` must be in the buffer.
  SharedBytes lend(ByteView part) const;

 private:
  class Loan;
  struct Storage;
  std::shared_ptr<Storage> storage_;
};

}  // namespace nnrt
