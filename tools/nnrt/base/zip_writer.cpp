#include "tools/nnrt/base/zip_writer.h"

#include "core/base/text.h"

#include <zlib.h>

#include <limits>
#include <utility>

namespace nnrt::tool {
namespace {

// Layout: PKWARE's APPNOTE.TXT; numbers are little-endian.
constexpr uint32_t kLocalMagic = 0x04034b50, kEntryMagic = 0x02014b50, kEndMagic = 0x06054b50;
constexpr uint16_t kStored = 0, kUtf8 = 1 << 11, kVersion = 20;
constexpr uint16_t kDate = 1 << 5 | 1;  // 1980-01-01, the earliest date

template <typename Number>
void put(std::string& bytes, Number number) {
  for (size_t i = 0; i < sizeof(Number); ++i) bytes += static_cast<char>(uint64_t{number} >> (8 * i) & 0xff);
}

uint32_t checksum_of(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

void ZipWriter::add(std::string_view name, std::string_view contents) {
  // Shared by the local header and the directory entry.
  std::string common;
  for (const uint16_t field : {kVersion, kUtf8, kStored, uint16_t{0}, kDate}) put(common, field);
  put(common, checksum_of(contents));
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
