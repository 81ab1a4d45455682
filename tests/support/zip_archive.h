// Zip archives made by tests. Nothing in them is compressed, whatever `method` says.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace nnrt::test {

struct ZipEntry {
  std::string name, data;
  uint16_t method = 0;
};

template <typename Number>
std::string little_endian(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

// An archive says of a file in two places: version, flags, method, time, checksum, sizes and
// lengths.
inline std::string zip_described(const ZipEntry& entry) {
  const auto size = little_endian(static_cast<uint32_t>(entry.data.size()));
  return little_endian(uint16_t{20}) + little_endian(uint16_t{0}) + little_endian(entry.method) +
         std::string(8, '\0') + size + size + little_endian(static_cast<uint16_t>(entry.name.size())) +
         little_endian(uint16_t{0});
}

inline std::string zip(const std::vector<ZipEntry>& entries, const std::string& comment = "") {
  std::string files, directory;
  for (const ZipEntry& entry : entries) {
    directory += "PK\x01\x02" + little_endian(uint16_t{20}) + zip_described(entry) + std::string(10, '\0') +
                 little_endian(static_cast<uint32_t>(files.size())) + entry.name;
    files += "PK\x03\x04" + zip_described(entry) + entry.name + entry.data;
  }
  const auto count = little_endian(static_cast<uint16_t>(entries.size()));
  return files + directory + "PK\x05\x06" + std::string(4, '\0') + count + count +
         little_endian(static_cast<uint32_t>(directory.size())) +
         little_endian(static_cast<uint32_t>(files.size())) +
         little_endian(static_cast<uint16_t>(comment.size())) + comment;
}

}  // namespace nnrt::test
