// Reads elements from unaligned bytes.
#pragma once

#include "core/base/bytes.h"

#include <cstring>

namespace nnrt::nnapi {

// 0 beyond the end.
template <typename T>
T element(ByteView bytes, size_t i) {
  T value{};
  if ((i + 1) * sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

}  // namespace nnrt::nnapi
