// The header of a cache file. It is followed by the body (graph, plan), the constants of the client's tensors
// and those that normalize() added, and the devices' data. The body ends with a table of these parts, each of
// which is only read when it is needed.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/text.h"

#include <cstdint>

namespace nnrt {

inline constexpr size_t kHeaderBytes = 64;
inline constexpr size_t kCacheAlignment = 64;  // constants are padded to a multiple of it

// Error of readers for invalid cache bytes.
template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

// A constant or a device's data, in the order of the file.
struct StoredPart {
  uint64_t bytes = 0;     // with its padding
  uint64_t checksum = 0;  // block_checksum()
};

struct CacheHeader {
  uint32_t version = 0;        // set by the client
  uint64_t length = 0;         // of the complete file
  uint64_t body = 0;           // length; the parts follow immediately
  uint64_t model = 0;          // checksum of the client's model
  uint64_t body_checksum = 0;  // block_checksum()
  uint32_t constants = 0;      // entries of the table, followed by
  uint32_t made = 0;           // those of the devices' data

  Bytes encode() const;
  // invalid_file if the bytes are not a valid header.
  static Result<CacheHeader> decode(ByteView bytes);

  // Covers the complete contents.
  uint64_t checksum() const;

  bool operator==(const CacheHeader&) const = default;
};

}  // namespace nnrt
