// Shared memory: allocates memfds and maps those of others on demand.
#pragma once

#include <neural_network_runtime/hdi/plugin.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace npu {

namespace hdi = nnrt::hdi::V2_0;

// A sealable file, so that other processes can rely on its length.
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

  // Null if mapping failed. May be unaligned: the client chooses the offset.
  char* data() const { return base_ == MAP_FAILED ? nullptr : static_cast<char*>(base_) + offset_; }

 private:
  void* base_;
  size_t bytes_, offset_;
};

}  // namespace npu
