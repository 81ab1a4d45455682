// Bytes in the midst of addresses that must not be read.
#pragma once

#include "core/base/bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <span>

namespace nnrt::test {

// Ends with its page but for alignment to 8. 2 GiB before and behind it, as far as an offset of a table
// reaches, are not readable.
class FencedBytes {
 public:
  explicit FencedBytes(ByteView bytes) {
    const size_t page = size_t(getpagesize()), held = (bytes.size() + page - 1) / page * page;
    reserved_ = held + 2 * kFence;
    start_ = static_cast<std::byte*>(
        mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (start_ == MAP_FAILED || mprotect(start_ + kFence, held, PROT_READ | PROT_WRITE) != 0) std::abort();
    bytes_ = {start_ + kFence + (held - bytes.size()) / 8 * 8, bytes.size()};
    std::memcpy(bytes_.data(), bytes.data(), bytes.size());
  }
  FencedBytes(const FencedBytes&) = delete;
  FencedBytes& operator=(const FencedBytes&) = delete;
  ~FencedBytes() { munmap(start_, reserved_); }

  std::span<std::byte> get() const { return bytes_; }

 private:
  static constexpr size_t kFence = size_t{1} << 31;
  std::byte* start_ = nullptr;
  size_t reserved_ = 0;
  std::span<std::byte> bytes_;
};

}  // namespace nnrt::test
