// The bytes of a cache: a file or a buffer.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>

namespace nnrt {

class CacheSource {
 public:
  virtual ~CacheSource() = default;

  virtual uint64_t size() const = 0;
  // Reads [offset, offset + bytes), which must be in range. Unless `retained`, the result is only valid as
  // long as the source.
  virtual Result<SharedBytes> read(uint64_t offset, uint64_t bytes, bool retained) = 0;
};

// The client's memory; retained bytes are copied.
std::unique_ptr<CacheSource> source_of(ByteView bytes);

// A file, read in parts: a mapping would reflect later changes to the file. invalid_file if it cannot be
// opened.
Result<std::unique_ptr<CacheSource>> source_of_file(const std::string& path);

}  // namespace nnrt
