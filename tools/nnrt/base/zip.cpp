#include "tools/nnrt/base/zip.h"

#include "core/base/text.h"

#include <zlib.h>

#include <limits>
#include <utility>

namespace nnrt::tool {
namespace {

// PKWARE's APPNOTE.TXT has the layout; numbers are little-endian.
constexpr uint32_t kLocalMagic = 0x04034b50, kEntryMagic = 0x02014b50, kEndMagic = 0x06054b50;
constexpr size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kMaxComment = 0xffff;
constexpr uint16_t kStored = 0, kDeflated = 8, kEncrypted = 1, kUtf8 = 1 << 11, kVersion = 20;
constexpr uint16_t kDate = 1 << 5 | 1;  // the first day that there is

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

template <typename Number>
void put(std::string& bytes, Number number) {
  for (size_t i = 0; i < sizeof(Number); ++i) bytes += static_cast<char>(uint64_t{number} >> (8 * i) & 0xff);
}

// Finds the record at the end, behind which a comment may stand.
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

// Nothing where the stream is damaged or gives another number of bytes.
std::optional<import::Bytes> inflated(std::span<const std::byte> stored, size_t size) {
  constexpr size_t kMaxRatio =
      1032;  // of deflate: a file cannot ask for more memory than it has contents for
  if (size / kMaxRatio > stored.size()) return std::nullopt;
  import::Bytes bytes(size + 1);  // zlib takes no null, and a byte too many is noticed
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
  size_t at = number_at<uint32_t>(file, end + 16);
  if (count == 0xffff || at == 0xffffffff)
    return unsupported("The archive is larger than 4 GiB or has more than 65534 entries.");
  if (at > end || size > end - at) return damaged("The archive's directory is not inside of it.");
  ZipArchive archive;
  archive.file_ = file;
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
  if (at > file_.size() || file_.size() - at < kLocalBytes || number_at<uint32_t>(file_, at) != kLocalMagic)
    return damaged("Entry ", names_[index], " is not where the archive's directory says.");
  const size_t begin =
      at + kLocalBytes + number_at<uint16_t>(file_, at + 26) + number_at<uint16_t>(file_, at + 28);
  if (begin > file_.size() || file_.size() - begin < entry.stored_bytes)
    return damaged("Entry ", names_[index], " is cut off.");
  return file_.subspan(begin, entry.stored_bytes);
}

Result<import::Bytes> ZipArchive::read(size_t index, size_t max) const {
  const Entry& entry = entries_[index];
  const std::string& name = names_[index];
  if ((entry.flags & kEncrypted) != 0) return unsupported("Entry ", name, " is encrypted.");
  if (entry.bytes > max)
    return unsupported("Entry ", name, " has ", entry.bytes, " bytes, more than ", max, ".");
  NNRT_ASSIGN(const std::span<const std::byte> bytes, stored(index));
  std::optional<import::Bytes> contents;
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

void ZipWriter::add(std::string_view name, std::string_view contents) {
  // These fields are in the local header and in the directory.
  std::string common;
  for (const uint16_t field : {kVersion, kUtf8, kStored, uint16_t{0}, kDate}) put(common, field);
  put(common, checksum_of(std::as_bytes(std::span(contents))));
  put(common, static_cast<uint32_t>(contents.size()));
  put(common, static_cast<uint32_t>(contents.size()));
  put(common, static_cast<uint16_t>(name.size()));
  put(common, uint16_t{0});
  put(directory_, kEntryMagic);
  put(directory_, kVersion);
  directory_ += common;
  for (int i = 0; i < 3; ++i) put(directory_, uint16_t{0});
  put(directory_, uint32_t{0});
  put(directory_, static_cast<uint32_t>(file_.size()));
  directory_ += name;
  put(file_, kLocalMagic);
  file_.append(common).append(name).append(contents);
  ++entries_;
}

Result<std::string> ZipWriter::finish() {
  const size_t begin = file_.size(), size = directory_.size();
  if (begin + size >= std::numeric_limits<uint32_t>::max() || entries_ >= 0xffff)
    return unsupported("The archive would have more than 4 GiB or 65534 entries.");
  file_ += directory_;
  put(file_, kEndMagic);
  put(file_, uint32_t{0});
  for (int i = 0; i < 2; ++i) put(file_, static_cast<uint16_t>(entries_));
  put(file_, static_cast<uint32_t>(size));
  put(file_, static_cast<uint32_t>(begin));
  put(file_, uint16_t{0});
  return std::move(file_);
}

}  // namespace nnrt::tool
