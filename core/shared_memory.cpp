#include "core/shared_memory.h"

#include "core/text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace nnrt {
namespace {

size_t round_to_pages(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Error system_error(std::string_view what) {
  return {errno == ENOMEM || errno == EMFILE || errno == ENFILE ? Code::memory : Code::invalid_parameter,
          cat(what, " (", std::strerror(errno), ").")};
}

}  // namespace

Result<std::shared_ptr<SharedMemory>> SharedMemory::create(size_t bytes) {
  if (bytes == 0) return invalid("A shared memory cannot have 0 bytes.");
  if (bytes > size_t{1} << 46)
    return Error{Code::memory, cat("Shared memory of ", bytes, " bytes is too large.")};
  std::shared_ptr<SharedMemory> memory(new SharedMemory);
  memory->fd_ = memfd_create("nnrt", MFD_CLOEXEC);
  if (memory->fd_ < 0) return system_error("A memfd cannot be created");
  memory->owns_tail_ = true;
  if (ftruncate(memory->fd_, static_cast<off_t>(round_to_pages(bytes))) != 0) {
    return Error{Code::memory,
                 cat("Shared memory of ", bytes, " bytes cannot be allocated (", std::strerror(errno), ").")};
  }
  NNRT_TRY(memory->map(bytes));
  return memory;
}

Result<std::shared_ptr<SharedMemory>> SharedMemory::adopt(int fd, size_t bytes) {
  if (bytes == 0 || bytes > size_t{1} << 46)
    return invalid("The size of a shared memory (", bytes, ") is out of range.");
  std::shared_ptr<SharedMemory> memory(new SharedMemory);
  memory->fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (memory->fd_ < 0) return system_error(cat("File descriptor (", fd, ") cannot be duplicated"));
  struct stat status {};
  if (fstat(memory->fd_, &status) != 0)
    return system_error(cat("File descriptor (", fd, ") cannot be asked"));
  // dma-buf and ashmem report 0: their size is not known here.
  if (status.st_size > 0 && static_cast<size_t>(status.st_size) < bytes) {
    return invalid("The file behind descriptor (", fd, ") has ", status.st_size, " bytes, fewer than ", bytes,
                   ".");
  }
  if (S_ISREG(status.st_mode) && status.st_size == 0)
    return invalid("The file behind descriptor (", fd, ") is empty.");
  NNRT_TRY(memory->map(bytes));
  return memory;
}

Status SharedMemory::map(size_t bytes) {
  void* address = mmap(nullptr, round_to_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (address == MAP_FAILED) return system_error(cat("File descriptor (", fd_, ") cannot be mapped"));
  data_ = static_cast<std::byte*>(address);
  bytes_ = bytes;
  mapped_bytes_ = round_to_pages(bytes);
  id_ = next_id();
  struct stat status {};
  // All memories of a character device (ashmem) have its inode: it tells nothing.
  if (fstat(fd_, &status) == 0 && !S_ISCHR(status.st_mode)) {
    device_number_ = status.st_dev;
    inode_ = status.st_ino;
  }
  return {};
}

SharedMemory::~SharedMemory() {
  attachments_.clear();  // imports go before the mapping that they import
  if (data_ != nullptr) munmap(data_, mapped_bytes_);
  if (fd_ >= 0) close(fd_);
}

bool SharedMemory::overlap(const SharedMemory& a, size_t a_offset, size_t a_bytes, const SharedMemory& b,
                           size_t b_offset, size_t b_bytes) {
  const bool same_file =
      &a == &b || (a.device_number_ == b.device_number_ && a.inode_ == b.inode_ && a.inode_ != 0);
  return same_file && a_offset < b_offset + b_bytes && b_offset < a_offset + a_bytes;
}

std::shared_ptr<void> SharedMemory::attachment(const void* owner,
                                               const std::function<std::shared_ptr<void>()>& make) {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, value] : attachments_) {
    if (known == owner) return value;
  }
  return attachments_.emplace_back(owner, make()).second;
}

}  // namespace nnrt
