// Only one file reads the environment, and never in privileged programs (tested by tests/unit/api/secure).
#include "core/platform/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace nnrt {
namespace {

namespace fs = std::filesystem;

TEST(Environment, HasTheVariablesOfTheProcess) {
  ASSERT_EQ(setenv("NNRT_TEST_VARIABLE", "value", 1), 0);
  EXPECT_STREQ(environment("NNRT_TEST_VARIABLE"), "value");
  ASSERT_EQ(unsetenv("NNRT_TEST_VARIABLE"), 0);
  EXPECT_EQ(environment("NNRT_TEST_VARIABLE"), nullptr);
}

TEST(Environment, IsReadInOnePlace) {
  const auto reads = [](const std::string& line) {
    return line.find("getenv") != line.npos || line.find("temp_directory_path") != line.npos;
  };
  size_t readers = 0;
  for (const char* folder : {"api", "backends", "core", "tools/device_host"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(NNRT_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        if (!reads(line)) continue;
        ++readers;
        EXPECT_EQ(entry.path().filename(), "environment.cpp") << entry.path() << ": " << line;
      }
    }
  }
  EXPECT_EQ(readers, 1u);
}

// Any setting read other than by its row is missing from the table.
TEST(Environment, IsReadByTheTableOfSettingsAlone) {
  std::set<std::string> readers;
  for (const char* folder : {"api", "backends", "core", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(NNRT_SOURCE_DIR) / folder)) {
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        if (line == "#include \"core/platform/environment.h\"") readers.insert(entry.path().filename());
    }
  }
  EXPECT_EQ(readers, (std::set<std::string>{"environment.cpp", "settings.cpp", "settings_check.cpp"}));
}

TEST(Environment, VisitsVariablesByPrefix) {
  ASSERT_EQ(setenv("NNRT_TEST_VARIABLE", "a=b", 1), 0);
  std::map<std::string, std::string> seen;
  for_each_variable("NNRT_TEST_VAR",
                    [&](std::string_view name, std::string_view value) { seen.emplace(name, value); });
  EXPECT_EQ(seen, (std::map<std::string, std::string>{{"NNRT_TEST_VARIABLE", "a=b"}}));
  ASSERT_EQ(unsetenv("NNRT_TEST_VARIABLE"), 0);
}

}  // namespace
}  // namespace nnrt
