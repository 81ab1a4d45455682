// The region of memory of a program's buffer.
#pragma once

#include "backends/vulkan/device/alignment.h"

namespace nnrt::vulkan {

// Steps may each write a part of a tensor, some bytes of each of its lines. Parts of a tensor that have
// different numbers share no byte, though each is told as a region of the whole tensor.
struct TensorPart {
  uint32_t tensor = 0;
  uint32_t number = 0;  // 0: all of the region is written

  bool operator==(const TensorPart&) const = default;
};

struct BufferRegion {
  enum class Home : uint8_t { arena, edge, constant };
  Home home = Home::arena;
  uint32_t index = 0;   // the program's edge, or the buffer of constants
  uint64_t offset = 0;  // in the arena, the edge's memory or the buffer of constants
  uint64_t bytes = 0;   // whole vectors
  TensorPart part = {};

  bool operator==(const BufferRegion&) const = default;
};

// Returns whether they share a byte.
constexpr bool overlap(const BufferRegion& a, const BufferRegion& b) {
  return a.home == b.home && a.index == b.index && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

}  // namespace nnrt::vulkan
