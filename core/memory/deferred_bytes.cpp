#include "core/memory/deferred_bytes.h"

#include "core/memory/pages.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>

namespace nnrt {
namespace {

class Deferred {
 public:
  Deferred(size_t bytes, FillBytes fill) : fill_(std::move(fill)), bytes_(bytes) {
    // Aligned, so that large contents get huge pages.
    reserved_ =
        (bytes + kPageBytes - 1) / kPageBytes * kPageBytes + (bytes < kHugePageBytes ? 0 : kHugePageBytes);
    if (reserved_ < bytes) throw std::bad_alloc();
    mapped_ = mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc();
    void* start = mapped_;
    size_t space = reserved_;
    start_ = static_cast<std::byte*>(
        std::align(bytes < kHugePageBytes ? kPageBytes : kHugePageBytes, bytes, start, space));
  }
  ~Deferred() { munmap(mapped_, reserved_); }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;

  const std::byte* data() const { return start_; }
  bool is_read() const { return is_read_.load(std::memory_order_acquire); }

  Status read() {
    if (is_read()) return {};
    const std::lock_guard lock(mutex_);
    if (is_read()) return {};
    if (mprotect(start_, bytes_, PROT_READ | PROT_WRITE) != 0)
      return Error{Code::memory, std::string("Out of memory for a constant: ") + std::strerror(errno) + "."};
    if (bytes_ >= kHugePageBytes) static_cast<void>(madvise(start_, bytes_, MADV_HUGEPAGE));
    if (Status status = fill_({start_, bytes_}); !status.ok()) {
      discard_pages({start_, bytes_});
      static_cast<void>(mprotect(start_, bytes_, PROT_NONE));
      return status;
    }
    fill_ = nullptr;  // may close a file
    is_read_.store(true, std::memory_order_release);
    return {};
  }

 private:
  FillBytes fill_;
  const size_t bytes_;
  size_t reserved_ = 0;
  void* mapped_ = nullptr;
  std::byte* start_ = nullptr;
  std::mutex mutex_;
  std::atomic<bool> is_read_ = false;
};

// The deleter, by which owners of deferred bytes are recognized.
struct Release {
  void operator()(const void* deferred) const { delete static_cast<const Deferred*>(deferred); }
};

Deferred* deferred_owner(const SharedBytes& bytes) {
  if (std::get_deleter<Release>(bytes.owner()) == nullptr) return nullptr;
  return const_cast<Deferred*>(static_cast<const Deferred*>(bytes.owner().get()));
}

}  // namespace

SharedBytes deferred_bytes(size_t bytes, size_t used, FillBytes fill) {
  auto deferred = std::make_unique<Deferred>(bytes, std::move(fill));
  const ByteView view(deferred->data(), used);
  return {std::shared_ptr<const void>(static_cast<const void*>(deferred.release()), Release()), view};
}

bool is_deferred(const SharedBytes& bytes) {
  const Deferred* const deferred = deferred_owner(bytes);
  return deferred != nullptr && !deferred->is_read();
}

Status ensure_read(const SharedBytes& bytes) {
  Deferred* const deferred = deferred_owner(bytes);
  return deferred == nullptr ? Status() : deferred->read();
}

}  // namespace nnrt
