// Reads elements from unaligned bytes.
#pragma once

#include "core/base/bytes.h"

#include <cstring>

namespace nnrt {

// The element must exist.
template <typename T>
T element_at(ByteView bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

}  // namespace nnrt
