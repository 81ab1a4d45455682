#include "tests/fuzz/resealed_cache.h"

#include "core/base/checksum.h"
#include "core/cache/cache_header.h"

#include <algorithm>
#include <cstring>

namespace nnrt::test {

Bytes resealed(ByteView data) {
  Bytes bytes(data.begin(), data.end());
  if (bytes.size() < kHeaderBytes) return bytes;
  const ByteView rest = data.subspan(kHeaderBytes);
  uint16_t body = 0;
  std::memcpy(&body, bytes.data() + 24, sizeof body);
  CacheHeader header;
  header.length = bytes.size();
  header.body = std::min<uint64_t>(body, rest.size());
  header.body_checksum = checksum(rest.first(header.body));
  header.constants_checksum = checksum(rest.subspan(header.body));
  std::ranges::copy(header.encode(), bytes.begin());
  return bytes;
}

}  // namespace nnrt::test
