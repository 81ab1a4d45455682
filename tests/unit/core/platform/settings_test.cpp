#include "core/platform/settings.h"

#include "core/platform/log.h"
#include "core/platform/settings_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace nnrt {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class Settings : public testing::Test {
 protected:
  Settings() {
    set_log_sink([this](LogLevel level, std::string_view line) {
      if (level == LogLevel::warning) warnings_.emplace_back(line);
    });
  }
  ~Settings() override { set_log_sink({}); }

  std::vector<std::string> warnings_;
};

TEST_F(Settings, HaveUniquePrefixedNames) {
  constexpr size_t kMaxForUsers = 12;
  size_t for_users = 0;
  std::set<std::string> names;
  for (const SettingRow& row : all_settings()) {
    const std::string name = row.name;
    EXPECT_TRUE(names.insert(name).second) << name;
    const bool is_of_tests = row.kind == SettingKind::test || row.kind == SettingKind::test_run;
    EXPECT_EQ(name.starts_with("NNRT_TEST_"), is_of_tests) << name;
    const bool is_for_users = row.kind == SettingKind::user;
    EXPECT_TRUE(!is_for_users || name.starts_with("NNRT_")) << name;
    for_users += is_for_users && !name.starts_with("NNRT_DRIVER_") ? 1 : 0;  // those are a board vendor's
    EXPECT_TRUE(row.meaning.ends_with('.') && !row.words.empty() && !row.default_value.empty()) << name;
  }
  EXPECT_LE(for_users, kMaxForUsers);
}

TEST_F(Settings, ChooseAWordOrTheDefault) {
  const SettingRow& log = row(Setting::log);
  EXPECT_EQ(choice_of(log, "off"), 0u);
  EXPECT_EQ(choice_of(log, "debug"), 4u);
  EXPECT_EQ(choice_of(log, ""), 2u);
  EXPECT_EQ(choice_of(log, "verbose"), 2u);
  const SettingRow& isa = row(Setting::cpu_isa);
  EXPECT_EQ(choice_of(isa, ""), std::nullopt);
  EXPECT_EQ(choice_of(isa, "avx2"), 1u);
  const SettingRow& shaders = row(Setting::vulkan_shaders);
  EXPECT_EQ(choice_of(shaders, "deferred"), 2u);
  EXPECT_EQ(choice_of(shaders, "deferred:20"), 3u);
  for (const char* const wrong : {"deferred:", "deferred:x", "deferred:0", "fast_compile:20", "late"})
    EXPECT_EQ(choice_of(shaders, wrong), std::nullopt) << wrong;
}

TEST_F(Settings, AreNumbersFromOne) {
  const auto parsed = [](const char* text) {
    setenv("NNRT_TEST_FUSE", text, 1);  // no other test in this program uses it now
    return setting_number(Setting::fuse);
  };
  EXPECT_EQ(parsed("12"), 12u);
  for (const char* const wrong : {"", "0", "-1", "abc", "3x", " 3", "99999999999999999999"})
    EXPECT_EQ(parsed(wrong), std::nullopt) << wrong;
  unsetenv("NNRT_TEST_FUSE");
  EXPECT_EQ(setting_number(Setting::fuse), std::nullopt);
}

TEST_F(Settings, WarnOnceOfInvalidValues) {
  for (int i = 0; i < 3; ++i) {
    check_value(row(Setting::threads), "abc");
    check_value(row(Setting::devices), "cpu,npu,auto");
    check_value(row(Setting::config_fallback), "of");
  }
  EXPECT_EQ(
      warnings_,
      (std::vector<std::string>{
          "NNRT_THREADS (abc) is not a number from 1.",
          "NNRT_DEVICES (npu) is not one of cpu, gpu, vulkan, auto, none, prefix:NAME, graph_extensions.",
          "nnrt.fallback (of) is not one of on, off."}));
}

TEST_F(Settings, AcceptValidValuesSilently) {
  check_value(row(Setting::devices), "vulkan,cpu");
  check_value(row(Setting::devices), "");
  check_value(row(Setting::hosted), "cpu,/run/host.socket,plugins");
  check_value(row(Setting::plugins), "/lib/a.so:b.so");
  check_value(row(Setting::placement), "-");
  check_value(row(Setting::costs), "off");
  check_value(row(Setting::threads), "4");
  for (const char* const name : {"nnrt.fallback", "nnrt.placement", "nnrt.trace", "ModelName", "CachePath"})
    check_extension(name);
  EXPECT_TRUE(warnings_.empty()) << warnings_.front();
}

TEST_F(Settings, WarnOnceOfAnUnknownExtensionConfig) {
  for (int i = 0; i < 2; ++i) check_extension("nnrt.falback");
  check_extension("NNRT_LOG");  // not an extension config
  ASSERT_EQ(warnings_.size(), 2u);
  EXPECT_TRUE(
      warnings_[0].starts_with("Extension config nnrt.falback is not one of nnrt.fallback, nnrt.placement,"))
      << warnings_[0];
}

TEST_F(Settings, WarnOfSoManyAtMost) {
  for (int i = 0; i < 1000; ++i) check_extension("nnrt." + std::to_string(i));
  EXPECT_LE(warnings_.size(), 100u);
}

TEST_F(Settings, ExtensionConfigsAreInTheHeader) {
  const std::string header =
      contents(fs::path(NNRT_SOURCE_DIR) / "api/include/neural_network_runtime/nnrt_extensions.h");
  for (const SettingRow& row : all_settings()) {
    const std::string name = row.name;
    if (!name.starts_with("nnrt.")) continue;
    EXPECT_NE(header.find('"' + name + '"'), header.npos) << name;
  }
}

// The variables that a source reads or sets, or that a test list sets.
std::set<std::string> names_in(const fs::path& path) {
  static const std::regex in_source(R"re((?:env|number_from)\("(NNRT_\w+)")re"),
      assigned(R"((?:^|[^D\w])(NNRT_[A-Z_0-9]+)=(?!"))");
  std::set<std::string> names;
  std::ifstream file(path);
  const bool is_source = path.extension() == ".h" || path.extension() == ".cpp";
  for (std::string line; std::getline(file, line);) {
    if (line.find("NNRT_") == line.npos || line.find("definitions") != line.npos) continue;
    const std::regex& wanted = is_source ? in_source : assigned;
    for (std::sregex_iterator at(line.begin(), line.end(), wanted), end; at != end; ++at)
      names.insert((*at)[1]);
  }
  return names;
}

TEST_F(Settings, TableListsEveryVariable) {
  const auto is_known = [](const std::string& name) {
    return std::ranges::any_of(all_settings(), [&](const SettingRow& row) { return row.name == name; });
  };
  std::set<std::string> seen;
  for (const char* const folder : {"api", "backends", "core", "tools", "tests", "docs", "cmake"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(NNRT_SOURCE_DIR) / folder)) {
      if (!entry.is_regular_file() || entry.path().filename() == "environment_test.cpp") continue;
      for (const std::string& name : names_in(entry.path())) {
        seen.insert(name);
        EXPECT_TRUE(is_known(name)) << name << " in " << entry.path();
      }
    }
  }
  EXPECT_GT(seen.size(), 20u);
}

std::set<std::string> matches_in(const std::string& text, const std::regex& wanted) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

// Pages mention settings, CMake options and header macros.
TEST_F(Settings, EachNameInAPageIsThere) {
  static const std::regex any(R"(\b(NNRT_[A-Z0-9_]*[A-Z0-9])\b)"), quoted(R"(`(NNRT_[A-Z0-9_]*[A-Z0-9])\b)");
  const fs::path root(NNRT_SOURCE_DIR);
  std::set<std::string> known = matches_in(contents(root / "CMakeLists.txt"), any);
  for (const SettingRow& row : all_settings()) known.insert(row.name);
  for (const char* const folder : {"api/include", "cmake", "tests", "tools/plugins"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string type = entry.path().extension().string();
      if (type == ".h" || type == ".cmake" || entry.path().filename() == "CMakeLists.txt")
        known.merge(matches_in(contents(entry.path()), any));
    }
  }
  std::vector<fs::path> pages{root / "README.md", root / "CONTRIBUTING.md", root / "tests/README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  size_t count = 0;
  for (const fs::path& page : pages) {
    for (const std::string& name : matches_in(contents(page), quoted)) {
      ++count;
      EXPECT_TRUE(known.contains(name)) << name << " in " << page;
    }
  }
  EXPECT_GT(count, 40u);
}

}  // namespace
}  // namespace nnrt
