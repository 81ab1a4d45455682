#include "tests/frameworks/tflite/model_case.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Behind the header of versions 1 and 2.
std::string npy_data(const fs::path& path) {
  const std::string file = contents(path);
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(file.at(at))); };
  const size_t length = byte(8) + 256 * byte(9);
  return byte(6) == 1 ? file.substr(10 + length) : file.substr(12 + length);
}

std::vector<std::string> arrays(const fs::path& folder, const std::string& start, const std::string& end) {
  std::vector<std::string> found;
  for (;;) {
    const fs::path path = folder / (start + std::to_string(found.size()) + end);
    if (!fs::exists(path)) return found;
    found.push_back(end == ".npy" ? npy_data(path) : contents(path));
  }
}

}  // namespace

ModelCase case_of(const std::string& model) {
  const fs::path path(model), folder = path.parent_path();
  const fs::path npy = folder / "cases" / path.filename();
  if (fs::exists(npy)) return {arrays(npy, "in_", ".npy"), arrays(npy, "out_", ".npy")};
  return {arrays(folder / "samples" / path.stem(), "0.in", ".bin"), {}};
}

Tolerance tolerance_of(const std::string& model, const std::string& table) {
  std::ifstream file(table);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    Tolerance tolerance;
    if (words >> name >> tolerance.floats >> tolerance.steps && name == fs::path(model).filename().string())
      return tolerance;
  }
  return {};
}

}  // namespace nnrt::test
