// Uninitialized memory for data that is written immediately, such as file contents and packed weights.
#pragma once

#include "core/base/bytes.h"

#include <cstddef>
#include <memory>
#include <span>

namespace nnrt {

inline constexpr size_t kPageBytes = 4096, kHugePageBytes = size_t{2} << 20;

struct FreePages {
  size_t bytes = 0;
  void operator()(std::byte* data) const noexcept;
};
using Pages = std::unique_ptr<std::byte, FreePages>;

// Page-aligned from kPageBytes on, so that devices can use it in place; 64-byte aligned below. Uses huge
// pages from kHugePageBytes on, because faulting in small pages takes longer than filling them, and returns
// those to the system when freed. Throws std::bad_alloc.
Pages allocate_pages(size_t bytes);

// Ends writing.
SharedBytes shared(Pages pages);

SharedBytes copy_in_pages(ByteView bytes);

// Returns the physical memory of the complete pages in `part` to the system; their contents are lost.
void discard_pages(std::span<std::byte> part) noexcept;

}  // namespace nnrt
