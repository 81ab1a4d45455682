#include "backends/plugin/buffer_contents.h"

#include "core/base/text.h"
#include "core/memory/pages.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

namespace nnrt::plugin {

Result<SharedBytes> contents_of(const ::nnrt::hdi::V2_0::SharedBuffer& buffer) {
  const uint64_t end = uint64_t{buffer.offset} + buffer.dataSize;
  if (end > buffer.bufferSize)
    return invalid("Data at [", buffer.offset, ", ", end, ") are outside their buffer (", buffer.bufferSize,
                   ").");
  struct stat status {};
  if (fstat(buffer.fd, &status) != 0) return invalid("File descriptor (", buffer.fd, ") does not exist.");
  if (S_ISREG(status.st_mode) && static_cast<uint64_t>(status.st_size) < end)
    return invalid("The file behind descriptor (", buffer.fd, ") ends before byte ", end, ".");
  Pages pages = allocate_pages(buffer.dataSize);
  std::span<std::byte> left(pages.get(), buffer.dataSize);
  while (!left.empty()) {
    const auto at = static_cast<off_t>(end - left.size());
    const ssize_t count = pread(buffer.fd, left.data(), left.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      return invalid("The file behind descriptor (", buffer.fd, ") cannot be read at byte ", at, " (",
                     count == 0 ? "it ends there" : std::strerror(errno), ").");
    left = left.subspan(static_cast<size_t>(count));
  }
  return shared(std::move(pages));
}

}  // namespace nnrt::plugin
