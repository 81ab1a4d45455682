// Lists of networks that may be refused, for tests of model files.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace nnrt::test {

// Reason by network name: one "name: reason" per line.
inline std::map<std::string, std::string> read_refusals(const std::filesystem::path& path) {
  std::map<std::string, std::string> refusals;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) refusals[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return refusals;
}

}  // namespace nnrt::test
