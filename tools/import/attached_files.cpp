#include "tools/import/attached_files.h"

#include "tools/import/load_network.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

namespace nnrt::import {
namespace {

// The structures of a zip archive, as offsets of their members. Numbers are little endian.
constexpr uint32_t kEndMark = 0x06054b50, kEntryMark = 0x02014b50, kFileMark = 0x04034b50;
constexpr size_t kEndSize = 22, kEntrySize = 46, kFileSize = 30;
constexpr size_t kMaxComment = 65535, kMaxFiles = 64;
constexpr uint16_t kStored = 0;

class Archive {
 public:
  explicit Archive(std::span<const std::byte> file) : file_(file) {}

  std::vector<AttachedFile> files() const;

 private:
  bool has(size_t offset, size_t size) const {
    return offset <= file_.size() && size <= file_.size() - offset;
  }
  // For what has() says that it is there.
  template <typename Number>
  size_t number(size_t offset) const {
    Number value = 0;
    std::memcpy(&value, file_.data() + offset, sizeof value);
    return value;
  }
  bool is_at(size_t offset, size_t size, uint32_t mark) const {
    return has(offset, size) && number<uint32_t>(offset) == mark;
  }
  std::optional<size_t> find_end() const;
  std::optional<AttachedFile> file_of(size_t entry, size_t begin) const;

  std::span<const std::byte> file_;
};

// The end of the archive, behind which there is a comment at most.
std::optional<size_t> Archive::find_end() const {
  if (file_.size() < kEndSize) return std::nullopt;
  const size_t last = file_.size() - kEndSize, first = last - std::min(last, kMaxComment);
  for (size_t offset = last + 1; offset-- > first;)
    if (is_at(offset, kEndSize, kEndMark)) return offset;
  return std::nullopt;
}

// Offsets in the archive count from `begin`.
std::optional<AttachedFile> Archive::file_of(size_t entry, size_t begin) const {
  const size_t size = number<uint32_t>(entry + 24), name_size = number<uint16_t>(entry + 28);
  const size_t header = begin + number<uint32_t>(entry + 42);
  if (number<uint16_t>(entry + 10) != kStored || number<uint32_t>(entry + 20) != size) return std::nullopt;
  if (!has(entry + kEntrySize, name_size) || !is_at(header, kFileSize, kFileMark)) return std::nullopt;
  const size_t data = header + kFileSize + number<uint16_t>(header + 26) + number<uint16_t>(header + 28);
  if (!has(data, size)) return std::nullopt;
  const auto bytes = file_.subspan(data, size);
  return AttachedFile{
      std::string(reinterpret_cast<const char*>(file_.data() + entry + kEntrySize), name_size),
      Bytes(bytes.begin(), bytes.end())};
}

std::vector<AttachedFile> Archive::files() const {
  const std::optional<size_t> end = find_end();
  if (!end) return {};
  const size_t count = std::min(number<uint16_t>(*end + 10), kMaxFiles);
  const size_t directory_size = number<uint32_t>(*end + 12), directory = number<uint32_t>(*end + 16);
  // The directory ends where the end begins; what is before the archive moves all of its offsets.
  if (directory_size > *end || directory > *end - directory_size) return {};
  const size_t begin = *end - directory_size - directory;
  std::vector<AttachedFile> files;
  size_t total = 0, entry = begin + directory;
  for (size_t i = 0; i < count && is_at(entry, kEntrySize, kEntryMark); ++i) {
    if (auto file = file_of(entry, begin)) {
      total += file->data.size();
      if (total > file_.size()) break;  // several that share their bytes
      files.push_back(*std::move(file));
    }
    entry += kEntrySize + number<uint16_t>(entry + 28) + number<uint16_t>(entry + 30) +
             number<uint16_t>(entry + 32);
  }
  return files;
}

}  // namespace

std::vector<AttachedFile> attached_files(std::span<const std::byte> file) {
  return is_tflite(file) ? Archive(file).files() : std::vector<AttachedFile>();
}

std::vector<AttachedFile> attached_files(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  Bytes file(8);
  const auto read = [&](size_t from) {
    return bool(stream.read(reinterpret_cast<char*>(file.data() + from),
                            static_cast<std::streamsize>(file.size() - from)));
  };
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size < file.size() || !read(0) || !is_tflite(file)) return {};
  file.resize(size);
  return read(8) ? attached_files(std::span<const std::byte>(file)) : std::vector<AttachedFile>();
}

}  // namespace nnrt::import
