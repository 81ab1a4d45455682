#include "backends/host/transport/shared_blob.h"

#include "core/base/divide_up.h"
#include "core/base/text.h"
#include "core/platform/descriptor.h"
#include "core/platform/file_limit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace nnrt::host {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

class Mapping {
 public:
  Mapping(void* data, size_t bytes) : data_(data), bytes_(bytes) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(data_, bytes_); }

 private:
  void* data_;
  size_t bytes_;
};

Status write_at(int fd, ByteView bytes, size_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), off_t(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      return Error{Code::memory,
                   cat("No memory for data to share with another process (", std::strerror(errno), ").")};
    bytes = bytes.subspan(size_t(written));
    offset += size_t(written);
  }
  return {};
}

}  // namespace

std::vector<size_t> blob_offsets(std::span<const ByteView> pieces) {
  std::vector<size_t> offsets{0};
  for (const ByteView piece : pieces) {
    const size_t end = offsets.back() + piece.size();
    offsets.push_back(round_up(end, kBlobAlignment));
  }
  return offsets;
}

Result<Fd> make_blob(std::span<const ByteView> pieces) {
  const FileLimit limit;
  Fd fd(memory_file());
  if (!fd) return Error{Code::memory, cat("Cannot create a memfd (", std::strerror(errno), ").")};
  const std::vector<size_t> offsets = blob_offsets(pieces);
  if (ftruncate(fd.get(), off_t(offsets.back())) != 0)
    return Error{Code::memory, cat("Cannot allocate ", offsets.back(), " bytes of shared memory.")};
  for (size_t i = 0; i < pieces.size(); ++i) NNRT_TRY(write_at(fd.get(), pieces[i], offsets[i]));
  if (fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0)
    return Error{Code::failed, cat("Cannot seal a memfd (", std::strerror(errno), ").")};
  return fd;
}

Result<SharedBytes> open_blob(const Fd& fd, size_t bytes) {
  if (bytes == 0) return SharedBytes(std::make_shared<const Bytes>());
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  struct stat status {};
  if (seals < 0 || (seals & kSeals) != kSeals || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return Error{Code::connection, "A shared file is not sealed."};
  if (size_t(status.st_size) < bytes)
    return Error{Code::connection, cat("A file has ", status.st_size, " bytes, fewer than ", bytes, ".")};
  void* const data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (data == MAP_FAILED)
    return Error{Code::memory,
                 cat("A file of ", bytes, " bytes cannot be mapped (", std::strerror(errno), ").")};
  return SharedBytes(std::make_shared<const Mapping>(data, bytes),
                     {static_cast<const std::byte*>(data), bytes});
}

}  // namespace nnrt::host
