// Bytes that are read in parts: a file or a buffer.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace nnrt {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual uint64_t size() const = 0;
  // Reads [offset, offset + to.size()), which must be in range.
  virtual Status read(uint64_t offset, std::span<std::byte> to) const = 0;
  // Reads [offset, offset + bytes), which must be in range, into new pages. Unless `retained`, the result is
  // only valid as long as the source.
  virtual Result<SharedBytes> read(uint64_t offset, uint64_t bytes, bool retained) const;
  // Fails if a file was written since it was opened: reads may have returned old and new bytes.
  virtual Status check_unchanged() const { return {}; }
};

// The client's memory; retained bytes are copied.
std::unique_ptr<ByteSource> source_of(ByteView bytes);

// A regular file. It is not mapped, because a mapping reflects later changes to the file. Fails with `code`
// if the file cannot be opened, or later cannot be read.
Result<std::unique_ptr<ByteSource>> source_of_file(const std::string& path, Code code = Code::invalid_file);

}  // namespace nnrt
