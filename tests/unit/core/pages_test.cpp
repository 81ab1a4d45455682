// Pages are read as text too: their prose fits 100 columns, and the README a first look.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxColumns = 100;
constexpr size_t kMaxLinesOfReadme = 150;

size_t columns(const std::string& line) {
  size_t count = 0;
  for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

// Rows of tables, code, and links that have no place to break are as long as they are.
std::vector<std::string> too_long(std::istream& page) {
  std::vector<std::string> found;
  bool is_code = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) is_code = !is_code;
    const bool is_prose = !is_code && !line.starts_with("|") && !line.starts_with("    ");
    const bool may_break = line.find(' ', line.find_first_not_of(" -*")) != line.npos;
    if (is_prose && may_break && columns(line) > kMaxColumns) found.push_back(line);
  }
  return found;
}

std::vector<fs::path> pages() {
  const fs::path root(NNRT_SOURCE_DIR);
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  for (const char* folder : {"api", "backends", "bench", "cmake", "core", "docs", "examples", "nnapi",
                             "python", "shaders", "tests", "tools"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

}  // namespace

TEST(Pages, HaveProseOfAHundredColumns) {
  size_t count = 0;
  for (const fs::path& path : pages()) {
    if (path.string().find("/bench/results/") != std::string::npos) continue;  // as it was measured
    if (path.filename() == "FORMAT.md") continue;                              // kept as they came
    std::ifstream page(path);
    for (const std::string& line : too_long(page)) ADD_FAILURE() << path << ": " << line;
    ++count;
  }
  EXPECT_GT(count, 50u);
}

TEST(Pages, AreToldOfALongLine) {
  const std::string words(120, 'w');
  std::istringstream page("| " + words + " |\n```\na " + words + "\n```\n    a " + words + "\na " + words +
                          "\n[a](" + words + ")\n");
  EXPECT_EQ(too_long(page), (std::vector<std::string>{"a " + words}));
}

TEST(Pages, BeginWithAShortReadme) {
  std::ifstream readme(fs::path(NNRT_SOURCE_DIR) / "README.md");
  size_t lines = 0;
  for (std::string line; std::getline(readme, line); ++lines)
    EXPECT_TRUE(line.starts_with("|") || columns(line) <= kMaxColumns) << line;
  EXPECT_LE(lines, kMaxLinesOfReadme);
}

}  // namespace nnrt::test
