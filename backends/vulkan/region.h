// Where a buffer of a program lies.
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

struct Region {
  enum class Home : uint8_t { arena, edge, constant };
  Home home = Home::arena;
  uint32_t index = 0;   // of the program's edge, or of the buffer of constants
  uint64_t offset = 0;  // in the arena, the edge's memory or the buffer of constants
  uint64_t bytes = 0;   // whole vectors

  bool operator==(const Region&) const = default;
};

// Whether [offset, offset + bytes) lies within so many bytes.
constexpr bool is_within(uint64_t offset, uint64_t bytes, uint64_t room) {
  return offset <= room && bytes <= room - offset;
}

// Whether they share a byte.
constexpr bool overlap(const Region& a, const Region& b) {
  return a.home == b.home && a.index == b.index && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

}  // namespace nnrt::vulkan
