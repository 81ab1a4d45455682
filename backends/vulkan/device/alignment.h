// Aligns memory offsets and sizes to vectors.
#pragma once

#include "core/base/divide_up.h"

#include <cstdint>

namespace nnrt::vulkan {

// Buffers are arrays of 16-byte vectors, at least one; kernels may read and write every vector completely.
constexpr uint64_t kVectorBytes = 16;
constexpr uint64_t whole_vectors(uint64_t bytes) {
  return bytes <= kVectorBytes ? kVectorBytes : round_up(bytes, kVectorBytes);
}

// Returns whether [offset, offset + bytes) is within `room` bytes.
constexpr bool is_within(uint64_t offset, uint64_t bytes, uint64_t room) {
  return offset <= room && bytes <= room - offset;
}

}  // namespace nnrt::vulkan
