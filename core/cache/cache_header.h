// The header of a cache file. It is followed by the body (graph, plan, device data) and by the constants of
// the client's tensors and those that normalize() added, each of which is only read when it is needed. The
// body ends with a table of them.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/text.h"

#include <cstdint>

namespace nnrt {

inline constexpr size_t kHeaderBytes = 64;
inline constexpr size_t kCacheAlignment = 64;  // of constants in the file

// Device data is page-aligned in the body, so that devices can use it in place.
constexpr size_t made_alignment(uint64_t bytes) { return bytes < 4096 ? kCacheAlignment : 4096; }

// Error of readers for invalid cache bytes.
template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

// A constant in the file, in tensor order.
struct StoredConstant {
  uint64_t bytes = 0;     // with its padding
  uint64_t checksum = 0;  // block_checksum()
};

struct CacheHeader {
  uint32_t version = 0;        // set by the client
  uint64_t length = 0;         // of the complete file
  uint64_t body = 0;           // length; the constants follow immediately
  uint64_t model = 0;          // checksum of the client's model
  uint64_t body_checksum = 0;  // block_checksum()
  uint64_t constants = 0;      // entries of the table

  Bytes encode() const;
  // invalid_file if the bytes are not a valid header.
  static Result<CacheHeader> decode(ByteView bytes);

  // Covers the complete contents.
  uint64_t checksum() const;

  bool operator==(const CacheHeader&) const = default;
};

}  // namespace nnrt
