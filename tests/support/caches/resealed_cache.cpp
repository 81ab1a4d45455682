#include "tests/support/caches/resealed_cache.h"

#include "core/cache/block_checksum.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace nnrt::test {

Bytes resealed(ByteView data) {
  Bytes bytes(data.begin(), data.end());
  if (bytes.size() < kHeaderBytes) return bytes;
  const ByteView rest = data.subspan(kHeaderBytes);
  uint16_t body = 0, constants = 0;
  std::memcpy(&body, bytes.data() + 24, sizeof body);
  std::memcpy(&constants, bytes.data() + 48, sizeof constants);
  CacheHeader header;
  header.length = bytes.size();
  header.body = std::min<uint64_t>(body, rest.size());
  header.constants = constants;
  return resealed(std::move(bytes), header);
}

Bytes resealed(Bytes bytes, CacheHeader header) {
  const std::span<std::byte> body = std::span(bytes).subspan(kHeaderBytes, header.body);
  ByteView constants = ByteView(bytes).subspan(kHeaderBytes + header.body);
  header.constants = std::min<uint64_t>(header.constants, body.size() / sizeof(StoredConstant));
  std::span<std::byte> table = body.last(header.constants * sizeof(StoredConstant));
  for (; !table.empty(); table = table.subspan(sizeof(StoredConstant))) {
    StoredConstant constant;
    std::memcpy(&constant, table.data(), sizeof constant);
    const ByteView data = constants.first(std::min<uint64_t>(constant.bytes, constants.size()));
    constant.checksum = block_checksum(data);
    constants = constants.subspan(data.size());
    std::memcpy(table.data(), &constant, sizeof constant);
  }
  header.body_checksum = block_checksum(body);
  std::ranges::copy(header.encode(), bytes.begin());
  return bytes;
}

}  // namespace nnrt::test
