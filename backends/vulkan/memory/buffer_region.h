// Memory regions of a program's buffers.
#pragma once

#include "backends/vulkan/device/alignment.h"

namespace nnrt::vulkan {

// A step may write only part of a tensor: some bytes of each row. Parts with different numbers share no
// bytes, although each one's region is that of the full tensor.
struct TensorPart {
  uint32_t tensor = 0;
  uint32_t number = 0;  // 0: the whole region

  bool operator==(const TensorPart&) const = default;
};

struct BufferRegion {
  enum class Kind : uint8_t { arena, edge, constant };
  Kind kind = Kind::arena;
  uint32_t index = 0;   // index of the edge or of the constants buffer
  uint64_t offset = 0;  // within the arena, the edge's memory or the constants buffer
  uint64_t bytes = 0;   // multiple of kVectorBytes
  TensorPart part = {};

  bool operator==(const BufferRegion&) const = default;
};

constexpr bool overlap(const BufferRegion& a, const BufferRegion& b) {
  return a.kind == b.kind && a.index == b.index && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

}  // namespace nnrt::vulkan
