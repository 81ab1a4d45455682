// Builds zip archives for tests. Deflate (method 8) uses stored blocks.
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

inline uint32_t crc32(const std::string& data) {
  uint32_t crc = ~uint32_t{0};
  for (const char byte : data) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

// The final stored block of a deflate stream, up to 65535 bytes.
inline std::string deflated(const std::string& data) {
  const auto size = static_cast<uint16_t>(data.size());
  return '\x01' + little_endian(size) + little_endian(static_cast<uint16_t>(~size)) + data;
}

inline std::string zip_contents(const ZipEntry& entry) {
  return entry.method == 8 ? deflated(entry.data) : entry.data;
}

// Fields stored twice per file: version, flags, method, time, checksum, sizes and lengths.
inline std::string zip_described(const ZipEntry& entry) {
  return little_endian(uint16_t{20}) + little_endian(uint16_t{0}) + little_endian(entry.method) +
         std::string(4, '\0') + little_endian(crc32(entry.data)) +
         little_endian(static_cast<uint32_t>(zip_contents(entry).size())) +
         little_endian(static_cast<uint32_t>(entry.data.size())) +
         little_endian(static_cast<uint16_t>(entry.name.size())) + little_endian(uint16_t{0});
}

inline std::string zip(const std::vector<ZipEntry>& entries, const std::string& comment = "") {
  std::string files, directory;
  for (const ZipEntry& entry : entries) {
    directory += "PK\x01\x02" + little_endian(uint16_t{20}) + zip_described(entry) + std::string(10, '\0') +
                 little_endian(static_cast<uint32_t>(files.size())) + entry.name;
    files += "PK\x03\x04" + zip_described(entry) + entry.name + zip_contents(entry);
  }
  const auto count = little_endian(static_cast<uint16_t>(entries.size()));
  return files + directory + "PK\x05\x06" + std::string(4, '\0') + count + count +
         little_endian(static_cast<uint32_t>(directory.size())) +
         little_endian(static_cast<uint32_t>(files.size())) +
         little_endian(static_cast<uint16_t>(comment.size())) + comment;
}

}  // namespace nnrt::test
