// Reads zip archives with stored or deflated entries, up to 4 GiB in total.
#pragma once

#include "tools/import/network/network.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

// The file's bytes must outlive the archive and may be hostile. Other data, such as a model, may precede it.
class ZipArchive {
 public:
  // Fails if the directory at the end cannot be read.
  static Result<ZipArchive> open(std::span<const std::byte> file);

  const std::vector<std::string>& names() const { return names_; }
  // The entry's size according to the directory, which is untrusted.
  size_t bytes_of(size_t index) const { return entries_[index].bytes; }
  // The entry's contents. Fails if they exceed `max` bytes, are encrypted or use another compression method,
  // or if the checksum is wrong.
  Result<Bytes> read(size_t index, size_t max) const;

 private:
  struct Entry {
    uint16_t flags = 0, method = 0;
    uint32_t checksum = 0, stored_bytes = 0, bytes = 0, offset = 0;
  };

  Result<std::span<const std::byte>> stored(size_t index) const;

  std::span<const std::byte> archive_;  // offsets are relative to its first byte
  std::vector<std::string> names_;
  std::vector<Entry> entries_;
};

}  // namespace nnrt::import
