#include "core/cache/model_note.h"

#include "core/base/byte_io.h"
#include "core/base/checksum.h"
#include "core/cache/cache_header.h"

namespace nnrt {
namespace {

constexpr uint64_t kMagic = 0x0a0d'6574'6f4e'8921;

}  // namespace

Bytes encode_note(ByteView note) {
  ByteWriter writer;
  writer.put(kMagic);
  writer.put(checksum(note));
  writer.list(note);
  return writer.take();
}

Result<ByteView> decode_note(ByteView bytes) {
  ByteReader reader(bytes);
  const bool is_note = reader.get<uint64_t>() == kMagic;
  const auto sum = reader.get<uint64_t>();
  const ByteView note = reader.bytes(reader.count(1));
  if (!is_note || reader.bad() || !reader.at_end()) return damaged("There are bytes after its end.");
  if (checksum(note) != sum) return damaged("The checksum of its note is wrong.");
  return note;
}

}  // namespace nnrt
