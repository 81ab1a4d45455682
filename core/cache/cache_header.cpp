#include "core/cache/cache_header.h"

#include "core/base/byte_io.h"
#include "core/base/checksum.h"

namespace nnrt {
namespace {

// The first byte is not text, and the line ends detect newline conversion.
constexpr uint64_t kMagic = 0x0a0d'7452'4e4e'8921;
constexpr uint32_t kFormat = 6;

}  // namespace

Bytes CacheHeader::encode() const {
  ByteWriter writer;
  writer.put(kMagic);
  writer.put(kFormat);
  writer.put(version);
  for (const uint64_t field : {length, body, model, body_checksum}) writer.put(field);
  writer.put(constants);
  writer.put(made);
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
  CacheHeader header;
  header.version = reader.get<uint32_t>();
  for (uint64_t* field : {&header.length, &header.body, &header.model, &header.body_checksum})
    *field = reader.get<uint64_t>();
  header.constants = reader.get<uint32_t>();
  header.made = reader.get<uint32_t>();
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
