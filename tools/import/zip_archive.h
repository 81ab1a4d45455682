// Zip archives that are read: entries that are stored or deflated, up to 4 GiB in all.
#pragma once

#include "tools/import/network/network.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

// The bytes of the file outlive it, and may come from anybody. Something else may stand before the archive,
// as a model does before the files that are attached to it.
class ZipArchive {
 public:
  // Fails where the directory at the end cannot be read.
  static Result<ZipArchive> open(std::span<const std::byte> file);

  const std::vector<std::string>& names() const { return names_; }
  // Returns the size of the entry by the directory, which may lie.
  size_t bytes_of(size_t index) const { return entries_[index].bytes; }
  // The contents of the entry. Fails where they have more than `max` bytes, are encrypted or compressed in
  // another way, or have another checksum.
  Result<Bytes> read(size_t index, size_t max) const;

 private:
  struct Entry {
    uint16_t flags = 0, method = 0;
    uint32_t checksum = 0, stored_bytes = 0, bytes = 0, offset = 0;
  };

  Result<std::span<const std::byte>> stored(size_t index) const;

  std::span<const std::byte> archive_;  // all offsets count from its first byte
  std::vector<std::string> names_;
  std::vector<Entry> entries_;
};

}  // namespace nnrt::import
