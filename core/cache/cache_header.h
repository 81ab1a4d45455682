// The first bytes of a cache file. Behind them lie the body (graph, plan, what the devices made) and the
// constants of the client's tensors, each with a checksum of its own, so that the constants need not be read
// where the client brings its model.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/text.h"

#include <cstdint>

namespace nnrt {

inline constexpr size_t kHeaderBytes = 64;
inline constexpr size_t kCacheAlignment = 64;  // for the constants in the file

// Bytes that a device made begin a page of the body, so that devices can work on whole pages in place.
constexpr size_t made_alignment(uint64_t bytes) { return bytes < 4096 ? kCacheAlignment : 4096; }

// The error of readers about bytes that are no cache.
template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

struct CacheHeader {
  uint32_t version = 0;  // the client's
  uint64_t length = 0;   // bytes of the whole
  uint64_t body = 0;     // its length; the constants follow at once
  uint64_t model = 0;    // a checksum of what the client composed
  uint64_t body_checksum = 0;
  uint64_t constants_checksum = 0;

  Bytes encode() const;
  // invalid_file where the bytes are not those of a header.
  static Result<CacheHeader> decode(ByteView bytes);

  // Stands for the contents of the whole.
  uint64_t checksum() const;

  bool operator==(const CacheHeader&) const = default;
};

}  // namespace nnrt
