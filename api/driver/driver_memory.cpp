#include "api/driver/driver_memory.h"

#include "core/base/text.h"

#include <sys/stat.h>

#include <algorithm>

namespace nnrt::driver {

Result<DriverMemory::File> DriverMemory::file_of(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return invalid("File descriptor (", fd, ") does not exist.");
  return File{status.st_dev, status.st_ino};
}

hdi::SharedBuffer DriverMemory::keep(std::shared_ptr<SharedMemory> memory) {
  const auto bytes = static_cast<uint32_t>(memory->bytes());
  const hdi::SharedBuffer buffer{memory->fd(), bytes, 0, bytes};
  const File file = file_of(memory->fd()).value();
  const std::lock_guard lock(mutex_);
  kept_[file] = std::move(memory);
  return buffer;
}

Status DriverMemory::release(const hdi::SharedBuffer& buffer) {
  NNRT_ASSIGN(const File file, file_of(buffer.fd));
  std::shared_ptr<SharedMemory> released;  // unmapped without the lock
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(file);
  if (found == kept_.end()) return invalid("The buffer (", buffer.fd, ") does not belong to this driver.");
  released = std::move(found->second);
  kept_.erase(found);
  return {};
}

Result<TensorView> DriverMemory::view_of(const hdi::SharedBuffer& buffer) const {
  NNRT_ASSIGN(const File file, file_of(buffer.fd));
  if (buffer.offset > buffer.bufferSize)
    return invalid("Offset (", buffer.offset, ") of a buffer is beyond its ", buffer.bufferSize, " bytes.");
  const size_t bytes = std::min(buffer.dataSize, buffer.bufferSize - buffer.offset);
  {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(file);
    if (found != kept_.end() && buffer.bufferSize <= found->second->bytes())
      return TensorView{found->second, buffer.offset, bytes, {}};
  }
  NNRT_ASSIGN(auto memory, SharedMemory::adopt(buffer.fd, buffer.bufferSize));
  return TensorView{std::move(memory), buffer.offset, bytes, {}};
}

}  // namespace nnrt::driver
