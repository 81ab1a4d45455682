#include "core/memory/reserved_pages.h"

#include "core/base/divide_up.h"
#include "core/memory/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <new>

namespace nnrt {
namespace {

constexpr size_t kSharedBytes = size_t{16} << 20;  // of a mapping for small ranges

// Kernels for ARM may have pages of 16 or 64 KiB. mprotect() refuses addresses within them.
size_t whole_pages(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t rounded = round_up(bytes, page);
  if (rounded < bytes) throw std::bad_alloc();
  return rounded;
}

constexpr int kReserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

class ReservedPages::Mapping {
 public:
  explicit Mapping(size_t bytes) : bytes_(bytes), data_(mmap(nullptr, bytes, PROT_NONE, kReserve, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Mapping() { munmap(data_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  const size_t bytes_;
  void* const data_;
};

// Hands out the addresses of a mapping in turn, and none of them twice.
class ReservedPages::SharedMappings {
 public:
  static SharedMappings& instance() {
    // Never destroyed: threads may still build models while the process ends.
    static auto& mappings = *std::make_unique<SharedMappings>().release();
    return mappings;
  }
  std::shared_ptr<Mapping> take(size_t bytes, std::byte*& start) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Mapping> mapping = last_.lock();
    if (mapping == nullptr || kSharedBytes - taken_ < bytes) {
      mapping = std::make_shared<Mapping>(kSharedBytes);
      last_ = mapping;
      taken_ = 0;
    }
    start = mapping->data() + taken_;
    taken_ += bytes;
    return mapping;
  }

 private:
  std::mutex mutex_;
  std::weak_ptr<Mapping> last_;
  size_t taken_ = 0;
};

ReservedPages::ReservedPages(size_t bytes) : bytes_(whole_pages(bytes)), is_shared_(bytes < kHugePageBytes) {
  if (is_shared_) {
    mapping_ = SharedMappings::instance().take(bytes_, start_);
    return;
  }
  size_t space = bytes_ + kHugePageBytes;
  if (space < bytes_) throw std::bad_alloc();
  mapping_ = std::make_shared<Mapping>(space);
  void* start = mapping_->data();
  start_ = static_cast<std::byte*>(std::align(kHugePageBytes, bytes, start, space));
}

ReservedPages::~ReservedPages() {
  // Other threads may be using the rest of a mapping: its addresses stay reserved.
  if (!is_used_ || !is_shared_) return;
  if (mmap(start_, bytes_, PROT_NONE, kReserve | MAP_FIXED, -1, 0) == MAP_FAILED)
    discard_pages({start_, bytes_});
}

}  // namespace nnrt
