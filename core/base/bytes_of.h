// The bytes of values in memory.
#pragma once

#include "core/base/bytes.h"

namespace nnrt {

// A copy of the elements, which are contiguous.
Bytes bytes_of(const auto& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace nnrt
