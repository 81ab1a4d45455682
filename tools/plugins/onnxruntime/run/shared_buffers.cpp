#include "tools/plugins/onnxruntime/run/shared_buffers.h"

#include "core/base/exceptions.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace nnrt::ep {

SharedBuffers& SharedBuffers::instance() {
  static auto* const buffers = new SharedBuffers;
  return *buffers;
}

void* SharedBuffers::allocate(size_t bytes) {
  const size_t size = std::max<size_t>(bytes, 1);
  const int fd = memfd_create("nnrt-tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return nullptr;
  void* data = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(size)) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
    data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  bool kept = false;
  if (data != MAP_FAILED) {
    best_effort([&] {
      const std::lock_guard lock(mutex_);
      buffers_.emplace(static_cast<const std::byte*>(data), Buffer{fd, size, ++made_});
      kept = true;
    });
  }
  if (kept) return data;
  if (data != MAP_FAILED) munmap(data, size);
  close(fd);
  return nullptr;
}

void SharedBuffers::free(void* data) {
  const std::lock_guard lock(mutex_);
  const auto found = buffers_.find(static_cast<const std::byte*>(data));
  if (found == buffers_.end()) return;
  munmap(data, found->second.size);
  close(found->second.fd);
  buffers_.erase(found);
}

std::optional<SharedBuffers::Place> SharedBuffers::find(const void* data, size_t bytes) const {
  const auto* const begin = static_cast<const std::byte*>(data);
  const std::lock_guard lock(mutex_);
  auto next = buffers_.upper_bound(begin);
  if (next == buffers_.begin()) return {};
  const auto& [start, buffer] = *--next;
  const auto offset = static_cast<size_t>(begin - start);
  if (offset > buffer.size || bytes > buffer.size - offset) return {};
  return Place{buffer.fd, offset, buffer.id};
}

}  // namespace nnrt::ep
