// Reads large parts of files with several threads: one core is slower at filling fresh pages than memory is.
#pragma once

#include "core/memory/byte_source.h"

#include <span>

namespace nnrt::import {

struct Read {
  const ByteSource* source = nullptr;
  uint64_t offset = 0;
  std::span<std::byte> to;
};

// Returns the first error.
Status read_in_parallel(std::span<const Read> reads);

}  // namespace nnrt::import
