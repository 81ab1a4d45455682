#include "core/platform/shared_memory.h"

#include "core/base/divide_up.h"
#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/platform/descriptor.h"
#include "core/platform/file_limit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <tuple>

namespace nnrt {
namespace {

size_t round_to_pages(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return round_up(bytes, page);
}

Error system_error(int error_number, std::string_view what) {
  return {code_for(error_number, Code::invalid_parameter),
          cat(what, " (", std::strerror(error_number), ").")};
}

constexpr size_t kMaxBytes = size_t{1} << 46;

struct Access {
  int protection, flags;

  bool read_only() const { return (protection & PROT_WRITE) == 0; }
};

// How a file can be mapped. A write-sealed file cannot change, so a private mapping is equivalent to a shared
// one, which Linux before 6.7 refuses.
Access access_of(int fd, int seals) {
  if ((seals & F_SEAL_WRITE) != 0) return {PROT_READ, MAP_PRIVATE};
  if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY || (seals & F_SEAL_FUTURE_WRITE) != 0) {
    return {PROT_READ, MAP_SHARED};
  }
  return {PROT_READ | PROT_WRITE, MAP_SHARED};
}

int seals_of(int fd) {
  const int seals = fcntl(fd, F_GET_SEALS);
  return seals < 0 ? 0 : seals;  // most files have none
}

// Live mappings of regular files.
struct Mappings {
  using Key = std::tuple<uint64_t, uint64_t, size_t, int>;  // device, inode, bytes, protection

  std::mutex mutex;
  std::map<Key, std::weak_ptr<SharedMemory>> known;
};

// Never destroyed: tensors may be created while the process exits.
Mappings& mappings() {
  static auto& instance = *std::make_unique<Mappings>().release();
  return instance;
}

Status check_length(int fd, const struct stat& status, size_t bytes) {
  if (S_ISREG(status.st_mode) && status.st_size == 0)
    return invalid("The file behind descriptor (", fd, ") is empty.");
  // dma-buf and ashmem report 0, i.e. unknown.
  if (status.st_size > 0 && static_cast<size_t>(status.st_size) < bytes) {
    return invalid("The file behind descriptor (", fd, ") has ", status.st_size, " bytes, fewer than ", bytes,
                   ".");
  }
  return {};
}

}  // namespace

uint64_t next_memory_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Result<std::shared_ptr<SharedMemory>> SharedMemory::create(size_t bytes) {
  if (bytes == 0) return invalid("Shared memory cannot have 0 bytes.");
  if (bytes > kMaxBytes) return Error{Code::memory, cat("Shared memory of ", bytes, " bytes is too large.")};
  std::shared_ptr<SharedMemory> memory(new SharedMemory);
  memory->fd_ = memory_file();
  if (memory->fd_ < 0) return system_error(errno, "A memfd cannot be created");
  memory->owns_tail_ = true;
  if (const FileLimit limit; ftruncate(memory->fd_, static_cast<off_t>(round_to_pages(bytes))) != 0) {
    return Error{Code::memory,
                 cat("Shared memory of ", bytes, " bytes cannot be allocated (", std::strerror(errno), ").")};
  }
  // Prevents another process with the descriptor from truncating it, if the system supports seals.
  static_cast<void>(fcntl(memory->fd_, F_ADD_SEALS, F_SEAL_SHRINK));
  NNRT_TRY(memory->map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED));
  return memory;
}

Result<std::shared_ptr<SharedMemory>> SharedMemory::adopt(int fd, size_t bytes) {
  if (bytes == 0 || bytes > kMaxBytes)
    return invalid("The size of shared memory (", bytes, ") is out of range.");
  std::shared_ptr<SharedMemory> memory(new SharedMemory);
  memory->fd_ = duplicate(fd);
  if (memory->fd_ < 0) return system_error(errno, cat("File descriptor (", fd, ") cannot be duplicated"));
  struct stat status {};
  if (fstat(memory->fd_, &status) != 0)
    return system_error(errno, cat("File descriptor (", fd, ") cannot be asked"));
  NNRT_TRY(check_length(fd, status, bytes));
  const int seals = seals_of(memory->fd_);
  const Access access = access_of(memory->fd_, seals);
  memory->read_only_ = access.read_only();
  memory->may_shrink_ = S_ISREG(status.st_mode) && (seals & F_SEAL_SHRINK) == 0;
  if (!S_ISREG(status.st_mode)) {
    NNRT_TRY(memory->map(bytes, access.protection, access.flags));
    return memory;
  }

  Mappings& all = mappings();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.known, [](const auto& entry) { return entry.second.expired(); });
  auto& known = all.known[{status.st_dev, status.st_ino, bytes, access.protection}];
  if (auto same = known.lock()) return same;
  NNRT_TRY(memory->map(bytes, access.protection, access.flags));
  known = memory;
  return memory;
}

Status SharedMemory::map(size_t bytes, int protection, int flags) {
  void* address = mmap(nullptr, round_to_pages(bytes), protection, flags, fd_, 0);
  if (address == MAP_FAILED) return system_error(errno, cat("File descriptor (", fd_, ") cannot be mapped"));
  data_ = static_cast<std::byte*>(address);
  bytes_ = bytes;
  mapped_bytes_ = round_to_pages(bytes);
  id_ = next_memory_id();
  struct stat status {};
  // All ashmem regions share the inode of their character device.
  if (fstat(fd_, &status) == 0 && !S_ISCHR(status.st_mode)) {
    device_number_ = status.st_dev;
    inode_ = status.st_ino;
  }
  return {};
}

Status SharedMemory::check_file() const {
  if (!may_shrink_) return {};
  struct stat status {};
  if (fstat(fd_, &status) != 0) return system_error(errno, "The file of shared memory cannot be queried");
  if (static_cast<size_t>(status.st_size) >= bytes_) return {};
  return invalid("The file of the memory was truncated to ", status.st_size, " bytes, fewer than ", bytes_,
                 ".");
}

SharedMemory::~SharedMemory() {
  attachments_.clear();  // imports must be destroyed before the mapping
  if (data_ != nullptr) munmap(data_, mapped_bytes_);
  if (fd_ >= 0) close(fd_);
}

bool SharedMemory::overlap(const SharedMemory& a, size_t a_offset, size_t a_bytes, const SharedMemory& b,
                           size_t b_offset, size_t b_bytes) {
  const bool same_file =
      &a == &b || (a.device_number_ == b.device_number_ && a.inode_ == b.inode_ && a.inode_ != 0);
  return same_file && a_bytes > 0 && b_bytes > 0 && a_offset < b_offset + b_bytes &&
         b_offset < a_offset + a_bytes;
}

std::shared_ptr<SharedMemory::Attachment> SharedMemory::attachment(
    const void* owner, const std::function<std::shared_ptr<Attachment>()>& make) {
  const std::lock_guard lock(mutex_);
  for (const auto& known : attachments_) {
    if (known->is_of(owner)) return known;
  }
  std::erase_if(attachments_, [](const auto& known) { return known->is_stale(); });
  return attachments_.emplace_back(make());
}

}  // namespace nnrt
