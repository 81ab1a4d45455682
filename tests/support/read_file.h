// The bytes of a file; none if it cannot be read. Much faster with sanitizers than stream iterators are.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace nnrt::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(bytes).str();
}

}  // namespace nnrt::test
