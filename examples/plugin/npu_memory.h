// Shared memory: a memfd of the device's own, and the mapping of any other for as long as it is needed.
#pragma once

#include <neural_network_runtime/hdi/plugin.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace npu {

namespace hdi = nnrt::hdi::V2_0;

// A file that can be sealed, so that another process which maps it can rely on its length.
inline int32_t allocate(uint32_t length, hdi::SharedBuffer& buffer) {
  const int fd = memfd_create("npu", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return hdi::NNRT_OUT_OF_MEMORY;
  if (ftruncate(fd, length) != 0) {
    close(fd);
    return hdi::NNRT_OUT_OF_MEMORY;
  }
  buffer = {fd, length, 0, length};
  return hdi::NNRT_SUCCESS;
}

class Mapping {
 public:
  explicit Mapping(const hdi::SharedBuffer& buffer) : bytes_(buffer.bufferSize), offset_(buffer.offset) {
    base_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.fd, 0);
    if (base_ == MAP_FAILED)  // an input may be read-only
      base_ = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, buffer.fd, 0);
  }
  ~Mapping() {
    if (base_ != MAP_FAILED) munmap(base_, bytes_);
  }
  Mapping(Mapping&& other) noexcept
      : base_(std::exchange(other.base_, MAP_FAILED)), bytes_(other.bytes_), offset_(other.offset_) {}
  Mapping& operator=(Mapping&&) = delete;

  // Null: it cannot be mapped. At any address: an offset is as the client wants it.
  char* data() const { return base_ == MAP_FAILED ? nullptr : static_cast<char*>(base_) + offset_; }

 private:
  void* base_;
  size_t bytes_, offset_;
};

}  // namespace npu
