// Host memory that devices map too: a tensor in it is bound without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace nnrt::ep {

// Thread safe.
class SharedBuffers {
 public:
  struct Place {
    int fd = -1;
    size_t offset = 0;    // of the bytes in the file
    uint64_t buffer = 0;  // differs from that of every other buffer, freed ones included
  };

  // One for the process, never destroyed: frameworks free tensors at any time.
  static SharedBuffers& instance();

  // Null if there is no memory. Aligned to a page.
  void* allocate(size_t bytes);
  void free(void* data);
  // Where the bytes are, if they are in a buffer.
  std::optional<Place> find(const void* data, size_t bytes) const;

 private:
  struct Buffer {
    int fd = -1;
    size_t size = 0;
    uint64_t id = 0;
  };

  mutable std::mutex mutex_;
  std::map<const std::byte*, Buffer> buffers_;  // by address
  uint64_t made_ = 0;
};

}  // namespace nnrt::ep
