#include "core/cache/cache_header.h"

#include "core/base/byte_io.h"
#include "core/base/checksum.h"

namespace nnrt {

template <>
inline constexpr auto kMembers<CacheHeader> = std::tuple(&CacheHeader::version, &CacheHeader::length,
                                                         &CacheHeader::body, &CacheHeader::model,
                                                         &CacheHeader::body_checksum, &CacheHeader::constants,
                                                         &CacheHeader::made);

namespace {

// The first byte is not text, and the line ends detect newline conversion.
constexpr uint64_t kMagic = 0x0a0d'7452'4e4e'8921;
constexpr uint32_t kFormat = 6;

}  // namespace

Bytes CacheHeader::encode() const {
  ByteWriter writer;
  writer.put(kMagic);
  writer.put(kFormat);
  writer.put(*this);
  Bytes bytes = writer.take();
  ByteWriter end;
  end.put(nnrt::checksum(bytes));
  const Bytes sum = end.take();
  bytes.insert(bytes.end(), sum.begin(), sum.end());
  return bytes;
}

Result<CacheHeader> CacheHeader::decode(ByteView bytes) {
  ByteReader reader(bytes);
  if (reader.get<uint64_t>() != kMagic) return damaged("It is not a cache.");
  if (const auto format = reader.get<uint32_t>(); format != kFormat)
    return damaged("Its format (", format, ") is not ", kFormat, ".");
  const auto header = reader.get<CacheHeader>();
  if (reader.get<uint64_t>() != header.checksum() || reader.bad())
    return damaged("The checksum of its header is wrong.");
  if (header.length < kHeaderBytes || header.body > header.length - kHeaderBytes)
    return damaged("Its length (", header.length, ") is below that of its body (", header.body, ").");
  return header;
}

uint64_t CacheHeader::checksum() const {
  const Bytes bytes = encode();
  uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  return sum;
}

}  // namespace nnrt
