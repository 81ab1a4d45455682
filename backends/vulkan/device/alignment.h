// Offsets and sizes of memory in whole vectors.
#pragma once

#include <cstdint>

namespace nnrt::vulkan {

// Buffers hold vectors of four 32-bit words, at least one, all of which a kernel may read and write.
constexpr uint64_t kVectorBytes = 16;
constexpr uint64_t whole_vectors(uint64_t bytes) {
  return bytes <= kVectorBytes ? kVectorBytes : (bytes + kVectorBytes - 1) / kVectorBytes * kVectorBytes;
}
constexpr uint64_t align_up(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Returns whether [offset, offset + bytes) lies within so many bytes.
constexpr bool is_within(uint64_t offset, uint64_t bytes, uint64_t room) {
  return offset <= room && bytes <= room - offset;
}

}  // namespace nnrt::vulkan
