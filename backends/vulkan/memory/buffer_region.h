// The region of memory of a program's buffer.
#pragma once

#include "backends/vulkan/device/alignment.h"

namespace nnrt::vulkan {

struct BufferRegion {
  enum class Home : uint8_t { arena, edge, constant };
  Home home = Home::arena;
  uint32_t index = 0;   // the program's edge, or the buffer of constants
  uint64_t offset = 0;  // in the arena, the edge's memory or the buffer of constants
  uint64_t bytes = 0;   // whole vectors

  bool operator==(const BufferRegion&) const = default;
};

// Returns whether they share a byte.
constexpr bool overlap(const BufferRegion& a, const BufferRegion& b) {
  return a.home == b.home && a.index == b.index && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

}  // namespace nnrt::vulkan
