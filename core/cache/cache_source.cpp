#include "core/cache/cache_source.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/cache/cache_header.h"
#include "core/platform/descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace nnrt {
namespace {

constexpr size_t kPageBytes = 4096, kLargePageBytes = size_t{2} << 20;

// Page-aligned unless small, so that devices can use it in place. Not zeroed, because it is written
// immediately. Uses huge pages if large: allocating many small pages takes longer than filling them.
struct Buffer {
  std::shared_ptr<std::byte> bytes;
  SharedBytes take(size_t size) { return {bytes, ByteView(bytes.get(), size)}; }
};
Buffer buffer_of(uint64_t bytes) {
  const size_t whole = bytes < kPageBytes ? kCacheAlignment : kPageBytes;
  const size_t size = std::max<uint64_t>(1, (bytes + whole - 1) / whole) * whole;
  const bool is_large = bytes >= kLargePageBytes;
  const std::align_val_t alignment{is_large ? kLargePageBytes : whole};
  void* memory = ::operator new(size, alignment);
  // Falls back to regular pages if there are no huge ones.
  if (is_large) static_cast<void>(madvise(memory, size, MADV_HUGEPAGE));
  return {{static_cast<std::byte*>(memory), [=](std::byte* data) { ::operator delete(data, alignment); }}};
}

class MemorySource final : public CacheSource {
 public:
  explicit MemorySource(ByteView bytes) : bytes_(bytes) {}

  uint64_t size() const override { return bytes_.size(); }
  Result<SharedBytes> read(uint64_t offset, uint64_t bytes, bool retained) override {
    const ByteView part = bytes_.subspan(offset, bytes);
    if (!retained) return SharedBytes(std::make_shared<const int>(), part);
    Buffer copy = buffer_of(bytes);
    std::ranges::copy(part, copy.bytes.get());
    return copy.take(bytes);
  }

 private:
  ByteView bytes_;
};

class FileSource final : public CacheSource {
 public:
  FileSource() = default;
  ~FileSource() override {
    if (fd_ >= 0) close(fd_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Status open(const std::string& path) {
    // Opening a pipe must not block.
    fd_ = above_standard_streams(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const int error_number = errno;
    if (fd_ < 0)
      return Error{code_for(error_number, Code::invalid_file),
                   cat("File (", path, ") cannot be opened: ", std::strerror(error_number), ".")};
    struct stat status {};
    if (fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode))
      return Error{Code::invalid_file, cat("File (", path, ") is not a regular file.")};
    size_ = static_cast<uint64_t>(status.st_size);
    return {};
  }

  uint64_t size() const override { return size_; }
  Result<SharedBytes> read(uint64_t offset, uint64_t bytes, bool) override {
    Buffer buffer = buffer_of(bytes);
    for (uint64_t done = 0; done < bytes;) {
      const ssize_t got =
          pread(fd_, buffer.bytes.get() + done, bytes - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Error{Code::invalid_file, cat("It cannot be read (", std::strerror(errno), ").")};
      if (got == 0) return Error{Code::invalid_file, cat("It ends at byte ", offset + done, ".")};
      done += static_cast<uint64_t>(got);
    }
    return buffer.take(bytes);
  }

 private:
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<CacheSource> source_of(ByteView bytes) { return std::make_unique<MemorySource>(bytes); }

Result<std::unique_ptr<CacheSource>> source_of_file(const std::string& path) {
  auto source = std::make_unique<FileSource>();
  NNRT_TRY(source->open(path));
  return std::unique_ptr<CacheSource>(std::move(source));
}

}  // namespace nnrt
