#include "core/memory/deferred_bytes.h"

#include "core/base/transpose.h"
#include "core/memory/pages.h"
#include "core/memory/parallel_work.h"
#include "core/memory/reserved_pages.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace nnrt {
namespace {

class DeferredPages {
 public:
  DeferredPages(size_t bytes, FillBytes fill, std::shared_ptr<const StoredOrder> stored)
      : fill_(std::move(fill)),
        stored_(std::move(stored)),
        pages_(bytes),
        start_(pages_.data()),
        bytes_(bytes) {}
  DeferredPages(const DeferredPages&) = delete;
  DeferredPages& operator=(const DeferredPages&) = delete;

  const std::byte* data() const { return start_; }
  bool is_read() const { return is_read_.load(std::memory_order_acquire); }

  Status read() {
    if (is_read()) return {};
    const std::lock_guard lock(mutex_);
    if (is_read()) return {};
    pages_.set_used();
    if (mprotect(start_, bytes_, PROT_READ | PROT_WRITE) != 0)
      return Error{Code::memory, std::string("Out of memory for weights: ") + std::strerror(errno) + "."};
    if (bytes_ >= kHugePageBytes) static_cast<void>(madvise(start_, bytes_, MADV_HUGEPAGE));
    if (Status status = fill_({start_, bytes_}); !status.ok()) {
      discard_pages({start_, bytes_});
      static_cast<void>(mprotect(start_, bytes_, PROT_NONE));
      return status;
    }
    fill_ = nullptr;  // may close a file
    stored_ = nullptr;
    is_read_.store(true, std::memory_order_release);
    return {};
  }

  std::shared_ptr<const StoredOrder> stored() {
    const std::lock_guard lock(mutex_);
    return stored_;
  }

 private:
  FillBytes fill_;
  std::shared_ptr<const StoredOrder> stored_;
  ReservedPages pages_;
  std::byte* const start_;
  const size_t bytes_;
  std::mutex mutex_;
  std::atomic<bool> is_read_ = false;
};

// The deleter, by which owners of deferred bytes are recognized.
struct Release {
  void operator()(const void* deferred) const { delete static_cast<const DeferredPages*>(deferred); }
};

DeferredPages* deferred_owner(const SharedBytes& bytes) {
  if (std::get_deleter<Release>(bytes.owner()) == nullptr) return nullptr;
  return const_cast<DeferredPages*>(static_cast<const DeferredPages*>(bytes.owner().get()));
}

SharedBytes deferred(size_t bytes, size_t used, FillBytes fill, std::shared_ptr<const StoredOrder> stored) {
  auto made = std::make_unique<DeferredPages>(bytes, std::move(fill), std::move(stored));
  const ByteView view(made->data(), used);
  return {std::shared_ptr<const void>(static_cast<const void*>(made.release()), Release()), view};
}

}  // namespace

SharedBytes deferred_bytes(size_t bytes, size_t used, FillBytes fill) {
  return deferred(bytes, used, std::move(fill), nullptr);
}

SharedBytes deferred_transpose(StoredOrder given) {
  const auto stored = std::make_shared<const StoredOrder>(std::move(given));
  const size_t bytes = stored->data->size();
  const auto fill = [stored](std::span<std::byte> to) -> Status {
    transpose(*stored->data, stored->shape, stored->order, stored->element_bytes, to);
    return {};
  };
  return deferred(bytes, bytes, fill, stored);
}

std::shared_ptr<const StoredOrder> stored_order(const SharedBytes& bytes) {
  DeferredPages* const owner = deferred_owner(bytes);
  return owner == nullptr || owner->is_read() ? nullptr : owner->stored();
}

bool is_deferred(const SharedBytes& bytes) {
  const DeferredPages* const deferred = deferred_owner(bytes);
  return deferred != nullptr && !deferred->is_read();
}

Status ensure_read(const SharedBytes& bytes) {
  DeferredPages* const deferred = deferred_owner(bytes);
  return deferred == nullptr ? Status() : deferred->read();
}

Status ensure_read(std::span<const SharedBytes> constants) {
  constexpr size_t kSmallBytes = size_t{1} << 20;  // not worth starting threads
  std::vector<SharedBytes> transposed;
  size_t bytes = 0;
  for (const SharedBytes& constant : constants) {
    if (stored_order(constant) == nullptr) continue;
    bytes += constant->size();
    transposed.push_back(constant);
  }
  const size_t threads = bytes < kSmallBytes ? 1 : std::max(std::thread::hardware_concurrency(), 1u);
  // Goes on after an error, so that a host learns of all constants that it misses.
  Status status =
      parallel_work(transposed.size(), threads, [&](size_t i) { return ensure_read(transposed[i]); });
  for (const SharedBytes& constant : constants)
    if (Status read = ensure_read(constant); status.ok()) status = std::move(read);
  return status;
}

void require_read(const SharedBytes& bytes) {
  if (Status status = ensure_read(bytes); !status.ok()) throw UnreadableBytes(std::move(status).error());
}

}  // namespace nnrt
