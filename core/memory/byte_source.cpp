#include "core/memory/byte_source.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/memory/pages.h"
#include "core/platform/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace nnrt {
namespace {

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(ByteView bytes) : bytes_(bytes) {}

  uint64_t size() const override { return bytes_.size(); }
  Status read(uint64_t offset, std::span<std::byte> to) const override {
    std::ranges::copy(bytes_.subspan(offset, to.size()), to.begin());
    return {};
  }
  Result<SharedBytes> read(uint64_t offset, uint64_t bytes, bool retained) const override {
    if (retained) return ByteSource::read(offset, bytes, retained);
    return SharedBytes(std::make_shared<const int>(), bytes_.subspan(offset, bytes));
  }

 private:
  ByteView bytes_;
};

class FileSource final : public ByteSource {
 public:
  explicit FileSource(Code code) : code_(code) {}
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
      return Error{code_for(error_number, code_),
                   cat("File (", path, ") cannot be opened: ", std::strerror(error_number), ".")};
    if (fstat(fd_, &status_) != 0 || !S_ISREG(status_.st_mode))
      return Error{code_, cat("File (", path, ") is not a regular file.")};
    return {};
  }

  uint64_t size() const override { return static_cast<uint64_t>(status_.st_size); }

  using ByteSource::read;
  Status read(uint64_t offset, std::span<std::byte> to) const override {
    for (size_t done = 0; done < to.size();) {
      const auto at = static_cast<off_t>(offset + done);
      const ssize_t got = pread(fd_, to.data() + done, to.size() - done, at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Error{code_, cat("It cannot be read (", std::strerror(errno), ").")};
      if (got == 0) return Error{code_, cat("It ends at byte ", offset + done, ".")};
      done += static_cast<size_t>(got);
    }
    return {};
  }

  Status check_unchanged() const override {
    const auto is_equal = [](const timespec& a, const timespec& b) {
      return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
    };
    struct stat now {};
    if (fstat(fd_, &now) == 0 && now.st_size == status_.st_size && is_equal(now.st_mtim, status_.st_mtim))
      return {};
    return Error{code_, "It changed while it was read."};
  }

 private:
  Code code_;
  int fd_ = -1;
  struct stat status_ {};
};

}  // namespace

Result<SharedBytes> ByteSource::read(uint64_t offset, uint64_t bytes, bool) const {
  Pages pages = allocate_pages(bytes);
  NNRT_TRY(read(offset, {pages.get(), bytes}));
  return shared(std::move(pages));
}

std::unique_ptr<ByteSource> source_of(ByteView bytes) { return std::make_unique<MemorySource>(bytes); }

Result<std::unique_ptr<ByteSource>> source_of_file(const std::string& path, Code code) {
  auto source = std::make_unique<FileSource>(code);
  NNRT_TRY(source->open(path));
  return std::unique_ptr<ByteSource>(std::move(source));
}

}  // namespace nnrt
