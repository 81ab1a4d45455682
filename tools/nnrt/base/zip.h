// Zip archives: entries that are stored or deflated, up to 4 GiB in all.
#pragma once

#include "tools/import/network/network.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::tool {

// The bytes of the file outlive it, and may come from anybody.
class ZipArchive {
 public:
  // Fails where the directory at the end cannot be read.
  static Result<ZipArchive> open(std::span<const std::byte> file);

  const std::vector<std::string>& names() const { return names_; }
  // The contents of the entry. Fails where they have more than `max` bytes, are encrypted or compressed in
  // another way, or have another checksum.
  Result<import::Bytes> read(size_t index, size_t max) const;

 private:
  struct Entry {
    uint16_t flags = 0, method = 0;
    uint32_t checksum = 0, stored_bytes = 0, bytes = 0, offset = 0;
  };

  Result<std::span<const std::byte>> stored(size_t index) const;

  std::span<const std::byte> file_;
  std::vector<std::string> names_;
  std::vector<Entry> entries_;
};

// Writes an archive of stored entries.
class ZipWriter {
 public:
  void add(std::string_view name, std::string_view contents);
  // Fails where it would have more than 4 GiB or 65534 entries.
  Result<std::string> finish();

 private:
  std::string file_, directory_;
  size_t entries_ = 0;
};

}  // namespace nnrt::tool
