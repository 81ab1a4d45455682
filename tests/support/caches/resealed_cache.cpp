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
  uint16_t body = 0, constants = 0, made = 0;
  std::memcpy(&body, bytes.data() + 24, sizeof body);
  std::memcpy(&constants, bytes.data() + 48, sizeof constants);
  std::memcpy(&made, bytes.data() + 52, sizeof made);
  CacheHeader header;
  header.length = bytes.size();
  header.body = std::min<uint64_t>(body, rest.size());
  header.constants = constants;
  header.made = made;
  return resealed(std::move(bytes), header);
}

Bytes resealed(Bytes bytes, CacheHeader header) {
  const std::span<std::byte> body = std::span(bytes).subspan(kHeaderBytes, header.body);
  ByteView parts = ByteView(bytes).subspan(kHeaderBytes + header.body);
  const auto most = static_cast<uint32_t>(std::min<size_t>(body.size() / sizeof(StoredPart), UINT32_MAX));
  header.constants = std::min(header.constants, most);
  header.made = std::min(header.made, most - header.constants);
  std::span<std::byte> table = body.last((header.constants + header.made) * sizeof(StoredPart));
  for (; !table.empty(); table = table.subspan(sizeof(StoredPart))) {
    StoredPart part;
    std::memcpy(&part, table.data(), sizeof part);
    const ByteView data = parts.first(std::min<uint64_t>(part.bytes, parts.size()));
    part.checksum = block_checksum(data);
    parts = parts.subspan(data.size());
    std::memcpy(table.data(), &part, sizeof part);
  }
  header.body_checksum = block_checksum(body);
  std::ranges::copy(header.encode(), bytes.begin());
  return bytes;
}

}  // namespace nnrt::test
