// Elements of bytes that need not be aligned.
#pragma once

#include "core/base/bytes.h"

#include <cstring>

namespace nnrt {

// There must be an element of that index.
template <typename T>
T element_at(ByteView bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

}  // namespace nnrt
