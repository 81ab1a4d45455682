// The source of the bytes of a cache: a file or a buffer.
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
  // Reads [offset, offset + bytes), which is inside. Bytes that are not `retained` are good while the source
  // is.
  virtual Result<SharedBytes> read(uint64_t offset, uint64_t bytes, bool retained) = 0;
};

// The client's memory; what is kept is copied.
std::unique_ptr<CacheSource> source_of(ByteView bytes);

// A file, read by parts: a mapping would follow what others do to the file later. invalid_file where it is
// none that can be opened.
Result<std::unique_ptr<CacheSource>> source_of_file(const std::string& path);

}  // namespace nnrt
