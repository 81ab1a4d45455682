#include "tools/import/zip_archive.h"

#include "core/base/text.h"

#include <zlib.h>

#include <optional>
#include <utility>

namespace nnrt::import {
namespace {

// Layout as in PKWARE's APPNOTE.TXT, little-endian.
constexpr uint32_t kLocalMagic = 0x04034b50, kEntryMagic = 0x02014b50, kEndMagic = 0x06054b50;
constexpr size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kMaxComment = 0xffff;
constexpr uint16_t kStored = 0, kDeflated = 8, kEncrypted = 1;

template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

template <typename Number>
Number number_at(std::span<const std::byte> bytes, size_t at) {
  Number number = 0;
  for (size_t i = sizeof(Number); i-- > 0;)
    number = static_cast<Number>(uint64_t{number} << 8 | std::to_integer<uint64_t>(bytes[at + i]));
  return number;
}

// Finds the end-of-directory record, which a comment may follow.
Result<size_t> find_end(std::span<const std::byte> file) {
  for (size_t comment = 0; comment <= kMaxComment && comment + kEndBytes <= file.size(); ++comment) {
    const size_t at = file.size() - kEndBytes - comment;
    if (number_at<uint32_t>(file, at) == kEndMagic && number_at<uint16_t>(file, at + 20) == comment)
      return at;
  }
  return damaged("The archive is no zip file, or is cut off: its directory is missing.");
}

uint32_t checksum_of(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Empty if the stream is damaged or its size differs.
std::optional<Bytes> inflated(std::span<const std::byte> stored, size_t size) {
  // Bounds the allocation by deflate's maximum compression ratio.
  constexpr size_t kMaxRatio = 1032;
  if (size / kMaxRatio > stored.size()) return std::nullopt;
  Bytes bytes(size + 1);  // zlib rejects null, and an extra byte is detected
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(stored.data()));
  stream.avail_in = static_cast<uInt>(stored.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int result = inflate(&stream, Z_FINISH);
  const size_t made = stream.total_out;
  inflateEnd(&stream);
  if (result != Z_STREAM_END || made != size) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

}  // namespace

Result<ZipArchive> ZipArchive::open(std::span<const std::byte> file) {
  NNRT_ASSIGN(const size_t end, find_end(file));
  const size_t count = number_at<uint16_t>(file, end + 10), size = number_at<uint32_t>(file, end + 12);
  const size_t offset = number_at<uint32_t>(file, end + 16);
  if (count == 0xffff || offset == 0xffffffff)
    return unsupported("The archive is larger than 4 GiB or has more than 65534 entries.");
  if (offset > end || size > end - offset) return damaged("The archive's directory is not inside of it.");
  // The directory ends where the end record starts, which reveals how much data precedes the archive.
  ZipArchive archive;
  archive.archive_ = file = file.subspan(end - size - offset);
  size_t at = offset;
  const size_t last = at + size;
  for (size_t i = 0; i < count; ++i) {
    if (last - at < kEntryBytes || number_at<uint32_t>(file, at) != kEntryMagic)
      return damaged("Entry ", i, " of the archive's directory is damaged.");
    const size_t name = number_at<uint16_t>(file, at + 28);
    const size_t whole =
        kEntryBytes + name + number_at<uint16_t>(file, at + 30) + number_at<uint16_t>(file, at + 32);
    if (last - at < whole) return damaged("Entry ", i, " of the archive's directory is cut off.");
    archive.names_.emplace_back(reinterpret_cast<const char*>(file.data()) + at + kEntryBytes, name);
    archive.entries_.push_back({number_at<uint16_t>(file, at + 8), number_at<uint16_t>(file, at + 10),
                                number_at<uint32_t>(file, at + 16), number_at<uint32_t>(file, at + 20),
                                number_at<uint32_t>(file, at + 24), number_at<uint32_t>(file, at + 42)});
    at += whole;
  }
  return archive;
}

Result<std::span<const std::byte>> ZipArchive::stored(size_t index) const {
  const Entry& entry = entries_[index];
  const size_t at = entry.offset;
  if (at > archive_.size() || archive_.size() - at < kLocalBytes ||
      number_at<uint32_t>(archive_, at) != kLocalMagic)
    return damaged("Entry ", names_[index], " is not where the archive's directory says.");
  const size_t begin =
      at + kLocalBytes + number_at<uint16_t>(archive_, at + 26) + number_at<uint16_t>(archive_, at + 28);
  if (begin > archive_.size() || archive_.size() - begin < entry.stored_bytes)
    return damaged("Entry ", names_[index], " is cut off.");
  return archive_.subspan(begin, entry.stored_bytes);
}

Result<Bytes> ZipArchive::read(size_t index, size_t max) const {
  const Entry& entry = entries_[index];
  const std::string& name = names_[index];
  if ((entry.flags & kEncrypted) != 0) return unsupported("Entry ", name, " is encrypted.");
  if (entry.bytes > max)
    return unsupported("Entry ", name, " has ", entry.bytes, " bytes, more than ", max, ".");
  NNRT_ASSIGN(const std::span<const std::byte> bytes, stored(index));
  std::optional<Bytes> contents;
  if (entry.method == kStored) {
    if (bytes.size() == entry.bytes) contents.emplace(bytes.begin(), bytes.end());
  } else if (entry.method == kDeflated) {
    contents = inflated(bytes, entry.bytes);
  } else {
    return unsupported("Entry ", name, " is compressed by method ", entry.method, ", which is not deflate.");
  }
  if (!contents || checksum_of(*contents) != entry.checksum) return damaged("Entry ", name, " is damaged.");
  return *std::move(contents);
}

}  // namespace nnrt::import
