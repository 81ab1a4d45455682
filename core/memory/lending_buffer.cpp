#include "core/memory/lending_buffer.h"

#include "core/base/divide_up.h"
#include "core/memory/pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace nnrt {

struct LendingBuffer::Storage {
  explicit Storage(size_t bytes)
      : memory(allocate_pages(bytes)), size(bytes), users(divide_up(bytes, kPageBytes)) {}

  // Discards the pages in [first, last) that have no users. The caller holds the mutex.
  void discard_unused(size_t first, size_t last) const {
    if (size < kPageBytes) return;  // not page-aligned
    while (first < last) {
      size_t end = first;
      while (end < last && users[end] == 0) ++end;
      discard_pages({memory.get() + first * kPageBytes, (end - first) * kPageBytes});
      first = end + 1;
    }
  }

  Pages memory;
  size_t size;
  std::mutex mutex;
  std::vector<uint32_t> users;  // per page
  bool open = true;             // the buffer still exists
};

class LendingBuffer::Loan {
 public:
  Loan(std::shared_ptr<Storage> storage, size_t first, size_t last)
      : storage_(std::move(storage)), first_(first), last_(last) {
    const std::lock_guard lock(storage_->mutex);
    for (size_t page = first_; page < last_; ++page) ++storage_->users[page];
  }
  ~Loan() {
    const std::lock_guard lock(storage_->mutex);
    for (size_t page = first_; page < last_; ++page) --storage_->users[page];
    if (!storage_->open) storage_->discard_unused(first_, last_);
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

 private:
  std::shared_ptr<Storage> storage_;
  size_t first_, last_;
};

LendingBuffer::LendingBuffer(size_t bytes) : storage_(std::make_shared<Storage>(bytes)) {}

LendingBuffer LendingBuffer::copy_of(ByteView bytes) {
  LendingBuffer copy(bytes.size());
  std::ranges::copy(bytes, copy.bytes().begin());
  return copy;
}

LendingBuffer::~LendingBuffer() {
  if (!storage_ || storage_.use_count() == 1) return;
  const std::lock_guard lock(storage_->mutex);
  storage_->open = false;
  // Otherwise the kernel may fill discarded pages again to form huge ones.
  if (storage_->size >= kHugePageBytes)
    static_cast<void>(madvise(storage_->memory.get(), storage_->size, MADV_NOHUGEPAGE));
  storage_->discard_unused(0, storage_->users.size());
}

std::span<std::byte> LendingBuffer::bytes() const { return {storage_->memory.get(), storage_->size}; }

SharedBytes LendingBuffer::lend(ByteView part) const {
  const auto offset = static_cast<size_t>(part.data() - storage_->memory.get());
  const size_t first = offset / kPageBytes, last = (offset + part.size() + kPageBytes - 1) / kPageBytes;
  return {std::make_shared<const Loan>(storage_, first, part.empty() ? first : last), part};
}

}  // namespace nnrt
